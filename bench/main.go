package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

var (
	batchSizes = []int{256, 8192, 65536}
	processors = []int{1, 2} // GOMAXPROCS
	codecs     = []setting{{Codec: "none"}, {Codec: "lz4"}, {Codec: "zstd", Level: 1}, {Codec: "zstd", Level: ownZstd}}
	libraries  = []string{"pyarrow", "parquet", "polars", "arro3"}
	// columns alike, so that two threads have the same to do
	alike = []string{"ids", "varying-ids", "vocabulary", "random-strings"}
)

// suite is a run.
type suite struct {
	full   bool
	only   string
	rounds int
	root   string // the module's folder
	out    string // where the results go
	data   string // of real tables
	cache  string // of what was installed
	work   string // files of this run

	report report
	peers  []peer
}

func main() {
	s := suite{}
	cache, _ := os.UserCacheDir() // without one, -cache must be given
	flag.BoolVar(&s.full, "full", false, "every batch size with every codec, more rows, lineitem at scale 1 too")
	flag.StringVar(&s.only, "table", "", "measure this table alone")
	flag.IntVar(&s.rounds, "rounds", 10, "rounds to take medians of")
	flag.StringVar(&s.data, "data", os.Getenv("ARROWPLANES_DATA"), "folder of real tables; default ../shared/data beside the module")
	flag.StringVar(&s.cache, "cache", filepath.Join(cache, "arrowplanes-bench"), "folder for what is installed")
	flag.StringVar(&s.out, "out", "", "folder for BENCHMARKS.md and bench/results; default the module's")
	worker := flag.Bool("worker", false, "answer requests: for this program's own use")
	flag.Parse()
	run := s.run
	if *worker {
		run = func() error { return serve(ours(), os.Stdin, os.Stdout) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (s *suite) run() (err error) {
	if s.root, err = moduleRoot(); err != nil {
		return err
	}
	if s.out == "" {
		s.out = s.root
	}
	if s.data == "" {
		s.data = filepath.Join(s.root, "..", "shared", "data")
	}
	if s.work, err = os.MkdirTemp("", "arrowplanes-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(s.work)
	defer func() {
		for _, p := range s.peers {
			err = errors.Join(err, p.close())
		}
	}()
	s.report.command, s.report.rounds = "go run ./bench", s.rounds
	if s.full {
		s.report.command += " -full"
	}
	s.report.machine = machine()
	s.report.bodies = map[string]float64{}
	s.startPeers()
	begin := time.Now()
	for _, src := range s.sources() {
		if s.only != "" && src.name != s.only {
			continue
		}
		fmt.Fprintf(os.Stderr, "%4.0fs %s: %s\n", time.Since(begin).Seconds(), src.name, src.about)
		if err := s.measure(src); err != nil {
			return fmt.Errorf("%s: %w", src.name, err)
		}
	}
	fmt.Fprintf(os.Stderr, "%4.0fs done\n", time.Since(begin).Seconds())
	return s.save()
}

// startPeers starts the libraries that there are, ipcx first.
func (s *suite) startPeers() {
	s.peers = []peer{ours(), arrowGo()}
	if err := s.prepare("python"); err != nil {
		s.skip("pyarrow, Parquet, polars and arro3, which could not be installed: " + err.Error())
		return
	}
	python := filepath.Join(s.cache, "python", "bin", "python")
	for _, name := range libraries {
		w, err := start(name, []string{"POLARS_MAX_THREADS=1", "OMP_NUM_THREADS=1", "RAYON_NUM_THREADS=1", "TOKIO_WORKER_THREADS=1"},
			python, "-B", filepath.Join(s.root, "bench", "python", "peers.py"), name)
		if err != nil {
			s.skip(err.Error())
			continue
		}
		s.peers = append(s.peers, w)
	}
}

// sources are the tables that there are.
func (s *suite) sources() []source {
	all := generated()
	scales := []float64{0.1}
	if s.full {
		scales = append(scales, 1)
	}
	for _, scale := range scales {
		if err := s.prepare("lineitem", fmt.Sprint(scale)); err != nil {
			s.skip(fmt.Sprintf("TPC-H lineitem at scale %v, which could not be made: %v", scale, err))
			continue
		}
		name := fmt.Sprintf("lineitem-%v", scale)
		src := file(name, "TPC-H at scale "+fmt.Sprint(scale), filepath.Join(s.cache, name+".arrow"))
		all = append(all, src)
		if s.only != "" && s.only != name {
			continue
		}
		rows, err := measureShuffled(src, scale, s.work)
		if err != nil {
			s.skip(err.Error())
		}
		s.report.shuffled = append(s.report.shuffled, rows...)
	}
	tables := stored(s.data)
	if len(tables) == 0 {
		s.skip("real tables: there are none in " + s.data)
	}
	return append(all, tables...)
}

func (s *suite) skip(why string) {
	fmt.Fprintln(os.Stderr, "left out:", why)
	s.report.skipped = append(s.report.skipped, why)
}

// prepare runs scripts/prepare.sh.
func (s *suite) prepare(what string, args ...string) error {
	cmd := exec.Command(filepath.Join(s.root, "bench", "scripts", "prepare.sh"), append([]string{what, s.cache}, args...)...)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		return fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	return nil
}

// moduleRoot is the folder of go.mod, in or above the current one.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("run it in the module: there is no go.mod here or above")
		}
		dir = parent
	}
}

// machine says what this is measured on.
func machine() string {
	model := runtime.GOARCH
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, after, ok := strings.Cut(string(info), "model name\t: "); ok {
			model, _, _ = strings.Cut(after, "\n")
		}
	}
	return fmt.Sprintf("%d cores of %s, %s", runtime.NumCPU(), model, runtime.Version())
}

// moduleVersion is the version of a module that this program is built from.
func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return m.Version
		}
	}
	return ""
}
