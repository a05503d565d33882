package verify

import "github.com/arrowplanes/arrowplanes/internal/flatbuf"

// kind says how a member of a table is stored, and so what has to be checked
// before an accessor may read it.
type kind uint8

const (
	inline kind = iota // size bytes inside the table: a scalar or a struct
	vector             // an offset to a vector of entries of size bytes; strings, too
	table              // an offset to a table
	tables             // an offset to a vector of offsets to tables
	union              // an offset to a table of the type that the slot before names
)

// spec describes one table: its members in the order of their slots.
type spec struct {
	name    string
	members []member
}

type member struct {
	name string
	kind kind
	// size is in bytes: of the member itself when it is inline, of an entry
	// when it is a vector.
	size uint8
	// names is how many names an enum of 2 bytes has, which are numbered from 0 on;
	// 0 of what is no enum, or is one whose number is for the reader to refuse.
	names int
	// required members must be there, because arrow-go's reader reads them
	// without asking.
	required bool
	// of gives the spec of a table, or of a vector's tables.
	of tableID
	// alternatives has the spec of each type number of a union.
	alternatives []tableID
}

// A tableID stands for a spec in specs. Specs refer to each other, and to
// themselves, by ID.
type tableID uint8

// Tables without members share opaque, and so do tables of unknown types: of
// these only the table itself is checked.
const (
	opaque tableID = iota
	message
	footer
	schema
	field
	keyValue
	dictionaryEncoding
	intType
	floatingPoint
	decimal
	dateType
	timeType
	timestamp
	interval
	unionType
	fixedSizeBinary
	fixedSizeList
	mapType
	duration
	recordBatch
	bodyCompression
	dictionaryBatch
	tensor
	tensorDim
	sparseTensor
	sparseTensorIndexCOO
	sparseMatrixIndexCSX
	sparseTensorIndexCSF
	numTables
)

// Sizes of the structs, in bytes.
const (
	sizeBuffer    = 16
	sizeFieldNode = 16
	sizeBlock     = 24
)

// headers and types have the tables of the unions MessageHeader and Type at
// their type numbers, indices at those of SparseTensorIndex.
var (
	headers = []tableID{
		flatbuf.MessageHeaderSchema:          schema,
		flatbuf.MessageHeaderDictionaryBatch: dictionaryBatch,
		flatbuf.MessageHeaderRecordBatch:     recordBatch,
		flatbuf.MessageHeaderTensor:          tensor,
		flatbuf.MessageHeaderSparseTensor:    sparseTensor,
	}
	types = []tableID{
		flatbuf.TypeInt:             intType,
		flatbuf.TypeFloatingPoint:   floatingPoint,
		flatbuf.TypeDecimal:         decimal,
		flatbuf.TypeDate:            dateType,
		flatbuf.TypeTime:            timeType,
		flatbuf.TypeTimestamp:       timestamp,
		flatbuf.TypeInterval:        interval,
		flatbuf.TypeUnion:           unionType,
		flatbuf.TypeFixedSizeBinary: fixedSizeBinary,
		flatbuf.TypeFixedSizeList:   fixedSizeList,
		flatbuf.TypeMap:             mapType,
		flatbuf.TypeDuration:        duration,
		flatbuf.TypeLargeListView:   opaque,
	}
	indices = []tableID{
		flatbuf.SparseTensorIndexSparseTensorIndexCOO: sparseTensorIndexCOO,
		flatbuf.SparseTensorIndexSparseMatrixIndexCSX: sparseMatrixIndexCSX,
		flatbuf.SparseTensorIndexSparseTensorIndexCSF: sparseTensorIndexCSF,
	}
)

// specs restates internal/flatbuf/arrow.fbs. Like the other tables here it is
// never written to.
var specs = [numTables]spec{
	opaque: {name: "table"},
	message: {"Message", []member{
		{name: "version", size: 2},
		{name: "header_type", size: 1},
		{name: "header", kind: union, alternatives: headers, required: true},
		{name: "bodyLength", size: 8},
		{name: "custom_metadata", kind: tables, of: keyValue},
	}},
	footer: {"Footer", []member{
		{name: "version", size: 2},
		{name: "schema", kind: table, of: schema},
		{name: "dictionaries", kind: vector, size: sizeBlock},
		{name: "recordBatches", kind: vector, size: sizeBlock},
		{name: "custom_metadata", kind: tables, of: keyValue},
	}},
	schema: {"Schema", []member{
		{name: "endianness", size: 2},
		{name: "fields", kind: tables, of: field},
		{name: "custom_metadata", kind: tables, of: keyValue},
		{name: "features", kind: vector, size: 8},
	}},
	field: {"Field", []member{
		{name: "name", kind: vector, size: 1},
		{name: "nullable", size: 1},
		{name: "type_type", size: 1},
		{name: "type", kind: union, alternatives: types, required: true},
		{name: "dictionary", kind: table, of: dictionaryEncoding},
		{name: "children", kind: tables, of: field},
		{name: "custom_metadata", kind: tables, of: keyValue},
	}},
	keyValue: {"KeyValue", []member{
		{name: "key", kind: vector, size: 1},
		{name: "value", kind: vector, size: 1},
	}},
	dictionaryEncoding: {"DictionaryEncoding", []member{
		{name: "id", size: 8},
		{name: "indexType", kind: table, of: intType, required: true},
		{name: "isOrdered", size: 1},
		{name: "dictionaryKind", size: 2},
	}},
	intType: {"Int", []member{
		{name: "bitWidth", size: 4},
		{name: "is_signed", size: 1},
	}},
	floatingPoint: {"FloatingPoint", []member{
		{name: "precision", size: 2, names: len(flatbuf.EnumNamesPrecision)},
	}},
	decimal: {"Decimal", []member{
		{name: "precision", size: 4},
		{name: "scale", size: 4},
		{name: "bitWidth", size: 4},
	}},
	dateType: {"Date", []member{
		{name: "unit", size: 2, names: len(flatbuf.EnumNamesDateUnit)},
	}},
	timeType: {"Time", []member{
		{name: "unit", size: 2, names: len(flatbuf.EnumNamesTimeUnit)},
		{name: "bitWidth", size: 4},
	}},
	timestamp: {"Timestamp", []member{
		{name: "unit", size: 2, names: len(flatbuf.EnumNamesTimeUnit)},
		{name: "timezone", kind: vector, size: 1},
	}},
	interval: {"Interval", []member{
		{name: "unit", size: 2, names: len(flatbuf.EnumNamesIntervalUnit)},
	}},
	unionType: {"Union", []member{
		{name: "mode", size: 2, names: len(flatbuf.EnumNamesUnionMode)},
		{name: "typeIds", kind: vector, size: 4},
	}},
	fixedSizeBinary: {"FixedSizeBinary", []member{
		{name: "byteWidth", size: 4},
	}},
	fixedSizeList: {"FixedSizeList", []member{
		{name: "listSize", size: 4},
	}},
	mapType: {"Map", []member{
		{name: "keysSorted", size: 1},
	}},
	duration: {"Duration", []member{
		{name: "unit", size: 2, names: len(flatbuf.EnumNamesTimeUnit)},
	}},
	recordBatch: {"RecordBatch", []member{
		{name: "length", size: 8},
		{name: "nodes", kind: vector, size: sizeFieldNode},
		{name: "buffers", kind: vector, size: sizeBuffer},
		{name: "compression", kind: table, of: bodyCompression},
		{name: "variadicBufferCounts", kind: vector, size: 8},
	}},
	bodyCompression: {"BodyCompression", []member{
		{name: "codec", size: 1},
		{name: "method", size: 1},
	}},
	dictionaryBatch: {"DictionaryBatch", []member{
		{name: "id", size: 8},
		{name: "data", kind: table, of: recordBatch, required: true},
		{name: "isDelta", size: 1},
	}},
	tensor: {"Tensor", []member{
		{name: "type_type", size: 1},
		{name: "type", kind: union, alternatives: types},
		{name: "shape", kind: tables, of: tensorDim},
		{name: "strides", kind: vector, size: 8},
		{name: "data", size: sizeBuffer},
	}},
	tensorDim: {"TensorDim", []member{
		{name: "size", size: 8},
		{name: "name", kind: vector, size: 1},
	}},
	sparseTensor: {"SparseTensor", []member{
		{name: "type_type", size: 1},
		{name: "type", kind: union, alternatives: types},
		{name: "shape", kind: tables, of: tensorDim},
		{name: "non_zero_length", size: 8},
		{name: "sparseIndex_type", size: 1},
		{name: "sparseIndex", kind: union, alternatives: indices},
		{name: "data", size: sizeBuffer},
	}},
	sparseTensorIndexCOO: {"SparseTensorIndexCOO", []member{
		{name: "indicesType", kind: table, of: intType},
		{name: "indicesStrides", kind: vector, size: 8},
		{name: "indicesBuffer", size: sizeBuffer},
		{name: "isCanonical", size: 1},
	}},
	sparseMatrixIndexCSX: {"SparseMatrixIndexCSX", []member{
		{name: "compressedAxis", size: 2},
		{name: "indptrType", kind: table, of: intType},
		{name: "indptrBuffer", size: sizeBuffer},
		{name: "indicesType", kind: table, of: intType},
		{name: "indicesBuffer", size: sizeBuffer},
	}},
	sparseTensorIndexCSF: {"SparseTensorIndexCSF", []member{
		{name: "indptrType", kind: table, of: intType},
		{name: "indptrBuffers", kind: vector, size: sizeBuffer},
		{name: "indicesType", kind: table, of: intType},
		{name: "indicesBuffers", kind: vector, size: sizeBuffer},
		{name: "axisOrder", kind: vector, size: 4},
	}},
}
