package ipcx

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/verify"
)

// schemaOf has arrow-go decode the metadata of a schema message, which has been
// verified. The schema's byte order is that of the data.
func schemaOf(metadata []byte) (*arrow.Schema, error) {
	metadata, err := withoutBody(metadata)
	if err != nil {
		return nil, err
	}
	r, err := ipc.NewReader(bytes.NewReader(appendFrame(nil, metadata)), ipc.WithEnsureNativeEndian(false))
	if err != nil {
		return nil, err
	}
	defer r.Release()
	return r.Schema(), nil
}

// undecodable is the error of a schema that was verified, and that arrow-go cannot
// decode all the same: of fixed-size lists of no entries, of types that are newer, of
// dictionaries that have one id and several types. Or it is another schema than the
// one that was asked for, of which arrow-go speaks as if it were writing.
func undecodable(err error) error {
	if strings.HasSuffix(err.Error(), "tried to write record batch with different schema") {
		return errors.New("ipcx: the schema is not the one of WithSchema")
	}
	return tag(ErrUnsupported, fmt.Errorf("ipcx: %w", err))
}

// withoutBody returns the metadata of a schema message with a body length of 0:
// a schema has no use for a body, and arrow-go allocates what it claims.
func withoutBody(metadata []byte) ([]byte, error) {
	if flatbuf.GetRootAsMessage(metadata, 0).BodyLength() == 0 {
		return metadata, nil
	}
	return changed(metadata, func(m *flatbuf.Message) { m.MutateBodyLength(0) })
}

// changed returns a copy of the metadata of a message with a number replaced. In
// metadata from a stranger the bytes of that number may be part of something
// else too, so that the copy is verified anew.
func changed(metadata []byte, change func(*flatbuf.Message)) ([]byte, error) {
	metadata = bytes.Clone(metadata)
	change(flatbuf.GetRootAsMessage(metadata, 0))
	if err := verify.Message(metadata); err != nil {
		return nil, unsound(err)
	}
	return metadata, nil
}

// unsound tags an error of package verify.
func unsound(err error) error {
	var problem *verify.Error
	if errors.As(err, &problem) && problem.Limit {
		return tag(ErrLimit, err)
	}
	return tag(ErrCorrupt, err)
}

// hasType says whether a type for which is holds stands anywhere in schema,
// among the values of dictionaries and the storage of extensions too.
func hasType(schema *arrow.Schema, is func(arrow.DataType) bool) bool {
	for _, field := range schema.Fields() {
		if containsType(field.Type, is) {
			return true
		}
	}
	return false
}

func containsType(dt arrow.DataType, is func(arrow.DataType) bool) bool {
	if is(dt) {
		return true
	}
	switch dt := dt.(type) {
	case arrow.ExtensionType:
		return containsType(dt.StorageType(), is)
	case *arrow.DictionaryType:
		return containsType(dt.ValueType, is)
	case arrow.NestedType:
		for _, field := range dt.Fields() {
			if containsType(field.Type, is) {
				return true
			}
		}
	}
	return false
}

func isUnion(dt arrow.DataType) bool {
	return dt.ID() == arrow.SPARSE_UNION || dt.ID() == arrow.DENSE_UNION
}

func isBoolean(dt arrow.DataType) bool { return dt.ID() == arrow.BOOL }

// nestsDictionary says whether a type is a dictionary with another one in its
// values.
func nestsDictionary(dt arrow.DataType) bool {
	dict, ok := dt.(*arrow.DictionaryType)
	return ok && containsType(dict.ValueType, func(dt arrow.DataType) bool { return dt.ID() == arrow.DICTIONARY })
}

// nestsUnion says whether a type is a dictionary with a union in its values.
func nestsUnion(dt arrow.DataType) bool {
	dict, ok := dt.(*arrow.DictionaryType)
	return ok && containsType(dict.ValueType, isUnion)
}
