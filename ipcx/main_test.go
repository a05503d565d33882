package ipcx_test

import (
	"os"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
)

func TestMain(m *testing.M) {
	// Readers then give back the extension, and not its storage.
	if err := arrow.RegisterExtensionType(arrowgen.ExtensionOf(arrow.Null)); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
