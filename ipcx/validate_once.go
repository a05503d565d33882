package ipcx

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// validatedDictionaries are the dictionaries of the last record batches of a reader
// that were found valid: mostly they are those of the next one, and need not be
// looked at again. arrow-go keeps one array for a dictionary until it is replaced
// or grows, but for the dictionaries among its values, which it sets anew.
type validatedDictionaries struct {
	last, now map[arrow.ArrayData][]arrow.ArrayData // with the dictionaries below
}

// begin starts with a record batch.
func (d *validatedDictionaries) begin() {
	d.last, d.now = d.now, d.last
	if d.now == nil {
		d.now = make(map[arrow.ArrayData][]arrow.ArrayData)
	}
	clear(d.now)
}

// has says whether a dictionary was valid, with all below it.
func (d *validatedDictionaries) has(dict arrow.ArrayData) bool {
	for _, valid := range []map[arrow.ArrayData][]arrow.ArrayData{d.now, d.last} {
		if below, ok := valid[dict]; ok {
			if !slices.Equal(below, dictionariesBelow(nil, dict)) {
				return false
			}
			d.now[dict] = below
			return true
		}
	}
	return false
}

// add notes a dictionary that is valid.
func (d *validatedDictionaries) add(dict arrow.ArrayData) {
	d.now[dict] = dictionariesBelow(nil, dict)
}

// dictionariesBelow appends the dictionaries among the values of one, or in an
// array.
func dictionariesBelow(dst []arrow.ArrayData, data arrow.ArrayData) []arrow.ArrayData {
	if isDictionary(data.DataType()) {
		if dict := dictionaryOf(data); dict != nil {
			dst = dictionariesBelow(append(dst, dict), dict)
		}
	}
	for _, child := range data.Children() {
		dst = dictionariesBelow(dst, child)
	}
	return dst
}

// dictionaryOf returns the dictionary of an array, nil if there is none.
func dictionaryOf(data arrow.ArrayData) arrow.ArrayData {
	dict := data.Dictionary()
	if d, ok := dict.(*array.Data); ok && d == nil {
		return nil // and not an interface that holds one
	}
	return dict
}

func isDictionary(dt arrow.DataType) bool {
	for {
		ext, ok := dt.(arrow.ExtensionType)
		if !ok {
			return dt.ID() == arrow.DICTIONARY
		}
		dt = ext.StorageType()
	}
}
