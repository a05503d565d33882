package ipcx_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDependencies holds the library packages to the modules that the README
// names: what the tool and the tests need stays out of a user's build.
func TestDependencies(t *testing.T) {
	allowed := []string{
		"github.com/arrowplanes/arrowplanes",
		"github.com/apache/arrow-go/v18",
		"github.com/google/flatbuffers",
		"github.com/klauspost/compress",
		"github.com/pierrec/lz4/v4",
		"golang.org/x/sys",
		// of arrow-go's arrow and arrow/array
		"github.com/goccy/go-json",
		"github.com/zeebo/xxh3",
		"github.com/klauspost/cpuid/v2",
		"golang.org/x/exp",
	}
	for _, pkg := range []string{"ipcx", "layout", "planes", "readbuf"} {
		out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "github.com/arrowplanes/arrowplanes/"+pkg).Output()
		require.NoError(t, err)
		for module := range strings.FieldsSeq(string(out)) {
			require.Contains(t, allowed, module, pkg)
		}
		if pkg == "planes" {
			require.NotContains(t, string(out), "arrow-go")
		}
	}
}
