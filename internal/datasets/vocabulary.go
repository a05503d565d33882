package datasets

import "math/rand/v2"

// vocabulary returns n different words, always the same ones. They are made of
// one to three syllables, as in names of places and products, so that the same
// groups of letters come back in many words, and are 4 to 11 letters long.
// There are millions of such words; n must be well below that.
func vocabulary(n int) []string {
	const minLength, maxLength = 4, 11
	var (
		rng    = rand.New(rand.NewPCG(seed("vocabulary of words"), 0))
		onsets = []string{
			"b", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z",
			"br", "ch", "cl", "cr", "dr", "fl", "gr", "pl", "pr", "sh", "sl", "sp", "st", "th", "tr",
		}
		vowels = []string{"a", "e", "i", "o", "u", "ai", "ea", "ee", "io", "ou"}
		codas  = []string{"", "", "", "", "n", "r", "s", "t", "l", "m", "nd", "st", "ck"}
	)
	pick := func(from []string) string { return from[rng.IntN(len(from))] }

	words := make([]string, 0, n)
	seen := make(map[string]bool, n)
	for len(words) < n {
		var word string
		for range 1 + rng.IntN(3) {
			word += pick(onsets) + pick(vowels) + pick(codas)
		}
		if len(word) < minLength || len(word) > maxLength || seen[word] {
			continue
		}
		seen[word] = true
		words = append(words, word)
	}
	return words
}
