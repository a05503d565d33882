package ipcx

import (
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/endian"

	"github.com/arrowplanes/arrowplanes/internal/brief"
)

// InvalidError is the error of [WithValidation] about an array that breaks a rule
// of Arrow's format. It carries ErrCorrupt.
type InvalidError struct {
	Batch  int    // the record batch, from 0 on
	Column int    // its column, of those that are read, from 0 on
	Path   string // the field: the names down to it, with dots between them; of a long one the middle is left out
	Row    int64  // the entry of that field's array, from 0 on; -1 where it is about all of it
	Err    error  // the rule, and the numbers that break it
}

// Error says all of it.
func (e *InvalidError) Error() string {
	row := ""
	if e.Row >= 0 {
		row = fmt.Sprintf(", row %d", e.Row)
	}
	return fmt.Sprintf("ipcx: record batch %d: field %q%s: %v", e.Batch, e.Path, row, e.Err)
}

// Unwrap returns what is wrong, and ErrCorrupt.
func (e *InvalidError) Unwrap() []error { return []error{e.Err, ErrCorrupt} }

// validate checks every array of record batch i at every depth. A dictionary that
// is in known was checked, and what is checked is put there.
func validate(rec arrow.RecordBatch, i int, known *validatedDictionaries) error {
	known.begin()
	if order := rec.Schema().Endianness(); order != endian.NativeEndian {
		return tag(ErrUnsupported, fmt.Errorf("ipcx: record batch %d: %v-endian numbers, which cannot be validated as they are (WithEnsureNativeEndian)", i, order))
	}
	for k, column := range rec.Columns() {
		v := validator{names: []string{rec.ColumnName(k)}, row: -1, known: known}
		err := v.array(column.Data())
		if n := int64(column.Len()); err == nil && n != rec.NumRows() {
			err = fmt.Errorf("%d rows in a record batch of %d", n, rec.NumRows())
		}
		if err != nil {
			return &InvalidError{i, k, v.path(), v.row, err}
		}
	}
	return nil
}

// validator walks the arrays of a column. It checks what arrow-go's accessors go
// by, in the data and not through them: they panic on what is wrong.
type validator struct {
	names []string // of the field at hand and those above it
	row   int64    // that an error is about
	known *validatedDictionaries
	entries
}

// path returns the names of the field at hand and of those above it.
func (v *validator) path() string {
	names := make([]string, len(v.names))
	for i, name := range v.names {
		names[i] = brief.Text(name)
	}
	return brief.Text(strings.Join(names, "."))
}

// entries is the array at hand.
type entries struct {
	data     arrow.ArrayData
	end      int64  // entries that the buffers must have
	validity []byte // nil where nothing is null
}

// at makes an error about an entry.
func (v *validator) at(row int64, format string, args ...any) error {
	v.row = row
	return fmt.Errorf(format, args...)
}

// buffer returns the bytes of a buffer, none where there is no such buffer.
func (a *entries) buffer(i int) []byte {
	if buffers := a.data.Buffers(); i < len(buffers) && buffers[i] != nil {
		return buffers[i].Bytes()
	}
	return nil
}

// isNull says whether entry i, from the offset on, is null.
func (a *entries) isNull(i int64) bool {
	return a.validity != nil && !bitutil.BitIsSet(a.validity, int(i))
}

// inside checks an array that is below the one at hand.
func (v *validator) inside(name string, data arrow.ArrayData) error {
	outer := v.entries
	v.names = append(v.names, name)
	if err := v.array(data); err != nil {
		return err // and names stays for it
	}
	v.names = v.names[:len(v.names)-1]
	v.entries = outer
	return nil
}

// array checks an array and all below it.
func (v *validator) array(data arrow.ArrayData) error {
	dt := data.DataType()
	for {
		ext, ok := dt.(arrow.ExtensionType)
		if !ok {
			break
		}
		dt = ext.StorageType()
	}
	n, from := int64(data.Len()), int64(data.Offset())
	if n < 0 || from < 0 || n+from < 0 {
		return fmt.Errorf("%d entries from entry %d on", n, from)
	}
	v.entries = entries{data: data, end: n + from}
	if err := v.nulls(dt); err != nil {
		return err
	}
	switch dt := dt.(type) {
	case *arrow.NullType:
		return nil
	case *arrow.BooleanType:
		return v.bitmap("values", v.buffer(1))
	case *arrow.DictionaryType:
		return v.dictionary(dt)
	case *arrow.BinaryType:
		return v.binary(4, false)
	case *arrow.StringType:
		return v.binary(4, true)
	case *arrow.LargeBinaryType:
		return v.binary(8, false)
	case *arrow.LargeStringType:
		return v.binary(8, true)
	case *arrow.BinaryViewType:
		return v.views(false)
	case *arrow.StringViewType:
		return v.views(true)
	case *arrow.ListType, *arrow.MapType:
		return v.list(dt, 4)
	case *arrow.LargeListType:
		return v.list(dt, 8)
	case *arrow.ListViewType:
		return v.listView(dt, 4)
	case *arrow.LargeListViewType:
		return v.listView(dt, 8)
	case *arrow.FixedSizeListType:
		return v.children(dt, func(child int64) error {
			if size := int64(dt.Len()); size < 0 || size > 0 && child/size < v.end {
				return fmt.Errorf("%d entries below %d lists of %d", child, v.end, size)
			}
			return nil
		})
	case *arrow.StructType:
		return v.children(dt, v.longEnough)
	case *arrow.SparseUnionType:
		if err := v.union(dt); err != nil {
			return err
		}
		return v.children(dt, v.longEnough)
	case *arrow.DenseUnionType:
		if err := v.union(dt); err != nil {
			return err
		}
		return v.children(dt, nil)
	case *arrow.RunEndEncodedType:
		if err := v.runEnds(); err != nil {
			return err
		}
		return v.children(dt, nil)
	case arrow.DecimalType:
		// What shows a decimal looks up the power of ten of its scale in a table,
		// which ends with the digits that the widest has, and takes memory for all
		// digits of its precision.
		most := maxDigits(dt)
		if dt.GetScale() < -most || dt.GetScale() > most {
			return fmt.Errorf("scale of %d, beyond the %d digits of %s", dt.GetScale(), most, dt.Name())
		}
		if p := dt.GetPrecision(); p < 0 || p > most {
			return fmt.Errorf("precision of %d, outside of 0 to the %d digits of %s", p, most, dt.Name())
		}
		return v.width("values", v.buffer(1), int64(dt.BitWidth()/8))
	case arrow.FixedWidthDataType:
		return v.width("values", v.buffer(1), int64(dt.Bytes()))
	}
	return fmt.Errorf("type %s, which cannot be validated", dt.Name())
}

// nulls checks validity and the count of nulls, and takes the bitmap.
func (v *validator) nulls(dt arrow.DataType) error {
	n, nulls := int64(v.data.Len()), int64(v.data.NullN())
	if nulls < -1 || nulls > n {
		return fmt.Errorf("%d nulls in %d rows", nulls, n)
	}
	switch dt.ID() {
	case arrow.NULL:
		return nil
	case arrow.SPARSE_UNION, arrow.DENSE_UNION, arrow.RUN_END_ENCODED:
		if nulls > 0 {
			return fmt.Errorf("%d nulls in a type that has none of its own", nulls)
		}
		return nil
	}
	p := v.buffer(0)
	if p == nil {
		if nulls > 0 {
			return fmt.Errorf("%d nulls and no validity", nulls)
		}
		return nil
	}
	if err := v.bitmap("validity", p); err != nil {
		return err
	}
	if counted := n - int64(bitutil.CountSetBits(p, v.data.Offset(), v.data.Len())); nulls >= 0 && counted != nulls {
		return fmt.Errorf("%d nulls where validity has %d", nulls, counted)
	}
	v.validity = p
	return nil
}

// bitmap checks that there is a bit for each entry.
func (v *validator) bitmap(what string, p []byte) error {
	if need := v.end/8 + (v.end%8+7)/8; int64(len(p)) < need {
		return fmt.Errorf("%s: %d bytes are too short for %d bits", what, len(p), v.end)
	}
	return nil
}

// width checks that there are that many bytes for each entry.
func (v *validator) width(what string, p []byte, width int64) error {
	if width < 0 || width > 0 && int64(len(p))/width < v.end {
		return fmt.Errorf("%s: %d bytes are too short for %d entries of %d bytes", what, len(p), v.end, width)
	}
	return nil
}

// longEnough checks the length of a child that has an entry for each of the
// array's.
func (v *validator) longEnough(child int64) error {
	if child < v.end {
		return fmt.Errorf("%d entries below %d", child, v.end)
	}
	return nil
}

// children checks that there are the arrays that the type has, their lengths and
// them.
func (v *validator) children(dt arrow.DataType, length func(int64) error) error {
	nested, ok := dt.(arrow.NestedType)
	if !ok {
		return errors.New("a type without children")
	}
	fields, children := nested.Fields(), v.data.Children()
	if len(children) != len(fields) {
		return fmt.Errorf("%d arrays where %s has %d", len(children), dt.Name(), len(fields))
	}
	for i, child := range children {
		if length != nil {
			if err := length(int64(child.Len())); err != nil {
				v.names = append(v.names, fields[i].Name)
				return err
			}
		}
		if err := v.inside(fields[i].Name, child); err != nil {
			return err
		}
	}
	return nil
}

// dictionary checks indices and what they point into.
func (v *validator) dictionary(dt *arrow.DictionaryType) error {
	index, ok := dt.IndexType.(arrow.FixedWidthDataType)
	if !ok {
		return fmt.Errorf("indices of type %s", dt.IndexType)
	}
	if err := v.width("indices", v.buffer(1), int64(index.Bytes())); err != nil {
		return err
	}
	size, dict := int64(0), dictionaryOf(v.data)
	if dict != nil {
		size = int64(dict.Len())
	} else if v.data.Len() > 0 {
		return fmt.Errorf("%d indices and no dictionary", v.data.Len())
	}
	if v.data.Len() > 0 {
		if err := v.indices(dt.IndexType.ID(), size); err != nil {
			return err
		}
	}
	if dict == nil || v.known.has(dict) {
		return nil
	}
	if err := v.inside("dictionary", dict); err != nil {
		return err
	}
	v.known.add(dict)
	return nil
}

func (v *validator) indices(id arrow.Type, size int64) error {
	p := v.buffer(1)
	switch id {
	case arrow.INT8:
		return indicesBelow(v, arrow.GetData[int8](p), size)
	case arrow.INT16:
		return indicesBelow(v, arrow.GetData[int16](p[:len(p)&^1]), size)
	case arrow.INT32:
		return indicesBelow(v, arrow.GetData[int32](p[:len(p)&^3]), size)
	case arrow.INT64:
		return indicesBelow(v, arrow.GetData[int64](p[:len(p)&^7]), size)
	case arrow.UINT8:
		return indicesBelow(v, p, size)
	case arrow.UINT16:
		return indicesBelow(v, arrow.GetData[uint16](p[:len(p)&^1]), size)
	case arrow.UINT32:
		return indicesBelow(v, arrow.GetData[uint32](p[:len(p)&^3]), size)
	case arrow.UINT64:
		return indicesBelow(v, arrow.GetData[uint64](p[:len(p)&^7]), size)
	}
	return fmt.Errorf("indices of type %s", id)
}

// indicesBelow checks the indices that are not null.
func indicesBelow[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](v *validator, indices []T, size int64) error {
	from := int64(v.data.Offset())
	for i := from; i < v.end; i++ {
		// A negative one is large without its sign.
		if x := indices[i]; uint64(x) >= uint64(size) && !v.isNull(i) {
			return v.at(i-from, "index %d into a dictionary of %d", x, size)
		}
	}
	return nil
}

// union checks type ids, and the offsets of a dense one.
func (v *validator) union(dt arrow.UnionType) error {
	ids := v.buffer(1)
	if err := v.width("type ids", ids, 1); err != nil {
		return err
	}
	const none = -1
	var childOf [256]int
	for i := range childOf {
		childOf[i] = none
	}
	for i, code := range dt.TypeCodes() {
		childOf[uint8(code)] = i
	}
	from := int64(v.data.Offset())
	for i := from; i < v.end; i++ {
		if childOf[ids[i]] == none {
			return v.at(i-from, "type id %d, which the union does not have", int8(ids[i]))
		}
	}
	if dt.Mode() != arrow.DenseMode {
		return nil
	}
	p := v.buffer(2)
	if err := v.width("offsets", p, 4); err != nil {
		return err
	}
	children := v.data.Children()
	if len(children) != len(dt.TypeCodes()) {
		return fmt.Errorf("%d arrays where %s has %d", len(children), dt.Name(), len(dt.TypeCodes()))
	}
	offsets := arrow.GetData[int32](p[:len(p)&^3])
	var last [256]int32
	for i := from; i < v.end; i++ {
		offset, id := offsets[i], ids[i]
		if child := children[childOf[id]].Len(); offset < 0 || int64(offset) >= int64(child) {
			return v.at(i-from, "offset %d into %d entries of type id %d", offset, child, int8(id))
		}
		if offset < last[id] {
			return v.at(i-from, "offset %d after %d of type id %d", offset, last[id], int8(id))
		}
		last[id] = offset
	}
	return nil
}

// runEnds checks the ends of runs against the length and the values.
func (v *validator) runEnds() error {
	children := v.data.Children()
	if len(children) != 2 {
		return fmt.Errorf("%d arrays where there are run ends and values", len(children))
	}
	ends, values := children[0], children[1]
	if ends.Len() > values.Len() {
		return fmt.Errorf("%d run ends of %d values", ends.Len(), values.Len())
	}
	if ends.NullN() > 0 {
		return fmt.Errorf("%d nulls among run ends", ends.NullN())
	}
	outer := v.entries
	defer func() { v.entries = outer }()
	v.entries = entries{data: ends, end: int64(ends.Offset()) + int64(ends.Len())}
	width, ok := ends.DataType().(arrow.FixedWidthDataType)
	if !ok {
		return fmt.Errorf("run ends of type %s", ends.DataType())
	}
	p := v.buffer(1)
	if err := v.width("run ends", p, int64(width.Bytes())); err != nil {
		return err
	}
	var (
		last int64
		err  error
	)
	if ends.Len() > 0 {
		switch ends.DataType().ID() {
		case arrow.INT16:
			last, err = increasing(v, arrow.GetData[int16](p[:len(p)&^1]))
		case arrow.INT32:
			last, err = increasing(v, arrow.GetData[int32](p[:len(p)&^3]))
		case arrow.INT64:
			last, err = increasing(v, arrow.GetData[int64](p[:len(p)&^7]))
		default:
			return fmt.Errorf("run ends of type %s", ends.DataType())
		}
	}
	if err == nil && last < outer.end && outer.data.Len() > 0 {
		err = fmt.Errorf("runs end at %d of %d rows", last, outer.end)
	}
	return err
}

// increasing checks that run ends start above 0 and increase, and returns the
// last one.
func increasing[T int16 | int32 | int64](v *validator, ends []T) (int64, error) {
	last, from := T(0), int64(v.data.Offset())
	for i := from; i < v.end; i++ {
		if ends[i] <= last {
			return 0, v.at(i-from, "run end %d after %d", ends[i], last)
		}
		last = ends[i]
	}
	return int64(last), nil
}

// maxDigits is the most digits that a decimal type has.
func maxDigits(dt arrow.DecimalType) int32 {
	switch dt.BitWidth() {
	case 32:
		return 9
	case 64:
		return 18
	case 128:
		return 38
	}
	return 76
}
