package datasets

import "github.com/apache/arrow-go/v18/arrow"

// Narrow returns d with its first column only.
func Narrow(d Dataset) Dataset {
	d.Schema = arrow.NewSchema(d.Schema.Fields()[:1], nil)
	d.columns = d.columns[:1]
	return d
}
