package datasets

import (
	"math/rand/v2"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// stringColumns is the width of the four tables of strings.
const stringColumns = 7

// stringTable describes a table of stringColumns columns; start starts the
// generator of column i.
func stringTable(name, about, field string, start func(i int, rng *rand.Rand) func() string) Dataset {
	f := arrow.Field{Name: field, Type: arrow.BinaryTypes.String}
	return uniform(name, about, stringColumns, f, func(i int) column {
		return func(rng *rand.Rand) func(array.Builder) {
			next := start(i, rng)
			return func(b array.Builder) { b.(*array.StringBuilder).Append(next()) }
		}
	})
}

// ids stands for the order numbers of a shop with several branches, one branch
// a column: a fixed prefix and nine digits, handed out in ascending order. The
// table is one shard of many, so between two of its numbers there are gaps of
// up to maxGap. All lengths are equal, which a column of offsets hides
// completely. No number comes twice, not even in another column, within the
// first 4 million rows.
func ids() Dataset {
	const (
		perBranch = 100_000_000
		maxGap    = 25
	)
	return stringTable("ids", "order numbers of one length, ascending with gaps", "order",
		func(i int, rng *rand.Rand) func() string {
			number := (i + 1) * perBranch
			return func() string {
				number += 1 + rng.IntN(maxGap)
				return "ORD-" + strconv.Itoa(number)
			}
		})
}

// varyingIDs stands for account numbers in the order in which accounts were
// active, that is, in none: plain decimal numbers without leading zeros, one to
// seven digits, each only once in its column.
//
// The powers of a primitive root modulo a prime pass through every number
// below the prime, in what looks like random order, before they repeat. After
// that come the numbers above the prime, in the same way.
func varyingIDs() Dataset {
	const (
		prime int64 = 1_100_009
		root  int64 = 599_504
	)
	return stringTable("varying-ids", "account numbers of varying length, in no order", "account",
		func(_ int, rng *rand.Rand) func() string {
			first := 1 + rng.Int64N(prime-1)
			power, base := first, int64(0)
			return func() string {
				s := strconv.FormatInt(base+power, 10)
				power = power * root % prime
				if power == first {
					base += prime
				}
				return s
			}
		})
}

// vocabularyWords stands for tags, cities or product names: each value is one
// of 1000 words of 4 to 11 letters, all equally likely, the same 1000 words in
// every column.
func vocabularyWords() Dataset {
	words := vocabulary(1000)
	return stringTable("vocabulary", "words from a vocabulary of 1000", "word",
		func(_ int, rng *rand.Rand) func() string {
			return func() string { return words[rng.IntN(len(words))] }
		})
}

// randomStrings stands for tokens, hashes and other text without repetition:
// 0 to 19 small letters and digits, every length and every character equally
// likely. There is nothing in the text to win on but 5.2 of 8 bits a character.
func randomStrings() Dataset {
	const maxLength = 19
	return stringTable("random-strings", "random small letters and digits of random length", "token",
		func(_ int, rng *rand.Rand) func() string {
			return func() string { return token(rng, rng.IntN(maxLength+1)) }
		})
}

// token returns n random small letters and digits.
func token(rng *rand.Rand, n int) string {
	const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
	p := make([]byte, n)
	for i := range p {
		p[i] = alphabet[rng.IntN(len(alphabet))]
	}
	return string(p)
}
