"""What the drivers of the Python packages have in common: the steps of a
manifest, and a line of JSON for each result. cases/manifest.go has the fields.

    python driver.py IMPLEMENTATION DIR
"""

import importlib
import json
import pathlib
import sys


class Unsupported(Exception):
    """The implementation says that it cannot do what was asked for."""


class Harmless(Exception):
    """Something of a flagged message was handed out, and it is right, because
    nothing of it is in a buffer."""


def short(error):
    text = str(error).strip() or type(error).__name__
    return f"{type(error).__name__}: {text}".replace("\n", " ")[:400]


class Driver:
    def __init__(self, module, folder):
        self.module = module
        self.folder = folder
        self.manifest = json.loads((folder / "manifest.json").read_text())
        (folder / "results").mkdir(exist_ok=True)
        self.out = open(folder / "results" / f"{module.NAME}.jsonl", "w", buffering=1)
        self.references = {}

    def say(self, step, case, outcome, text="", how=""):
        self.out.write(json.dumps({
            "implementation": self.module.NAME, "version": self.module.VERSION,
            "step": step, "table": case["table"], "codec": case.get("codec", ""),
            "format": case.get("format", ""), "form": case.get("form", ""),
            "how": how, "outcome": outcome, "text": text}) + "\n")

    def reference(self, path):
        """What the implementation makes of a reference, or why it does not."""
        if path not in self.references:
            try:
                format = "stream" if path.endswith(".arrows") else "file"
                self.references[path] = self.module.read(self.folder / path, format)
            except BaseException as error:
                self.references[path] = Unsupported(short(error))
        return self.references[path]

    def read(self):
        for case in self.manifest["read"]:
            if case["format"] not in self.module.READS:
                continue
            want = self.reference(case["reference"])
            if isinstance(want, Unsupported):
                self.say("read", case, "unsupported", str(want))
                continue
            outcome, text, got = self.compare(want, self.folder / case["path"], case["format"])
            if outcome != "equal" and self.fails_pyarrow(want, case):
                outcome, text = "theirs", "so with the file of pyarrow: " + text
            self.say("read", case, outcome, text)
            if outcome == "equal" and case["table"] == "plain":
                rows = [row for batch in self.manifest["values"] for row in batch]
                same = self.module.rows(got) == rows
                self.say("values", case, "equal" if same else "different")

    def compare(self, want, path, format):
        try:
            got = self.module.read(path, format)
        except BaseException as error:
            return "failed", short(error), None
        difference = self.module.difference(want, got)
        return ("different", difference, got) if difference else ("equal", "", got)

    def fails_pyarrow(self, want, case):
        """Whether the implementation cannot read pyarrow's file of the table
        either: the fault is then its own."""
        path = self.folder / "written" / "pyarrow" / case["codec"] / pathlib.Path(case["path"]).name
        return path.exists() and self.compare(want, path, case["format"])[0] != "equal"

    def refuse(self):
        """Each way of reading has to end in an error, and to hand out no batch
        before it but those that are plain, whatever its values are."""
        for step in "refuse", "accept", "control":
            for case in self.manifest[step]:
                if case["format"] not in self.module.READS:
                    continue
                for how, attempt in self.module.attempts(case):
                    batches = []
                    try:
                        attempt(self.folder / case["path"], batches)
                    except Harmless as error:
                        self.say(step, case, "harmless", short(error), how)
                    except BaseException as error:
                        text, outcome = short(error), "refused"
                        if len(batches) > case["plain"]:
                            text, outcome = f"{len(batches)} batches, then {text}", "accepted"
                        self.say(step, case, outcome, text, how)
                    else:
                        self.say(step, case, "accepted", f"{len(batches)} batches", how)

    def write(self):
        for case in self.manifest["write"]:
            table = self.reference(case["reference"])
            if isinstance(table, Unsupported):
                continue
            for format in self.module.WRITES:
                if format == "file" and not case["file"]:
                    continue
                for codec in self.module.CODECS:
                    path = self.folder / "written" / self.module.NAME / codec
                    path.mkdir(parents=True, exist_ok=True)
                    path /= case["table"] + (".arrows" if format == "stream" else ".arrow")
                    said = {"table": case["table"], "codec": codec, "format": format}
                    try:
                        self.module.write(table, path, format, codec)
                    except BaseException as error:
                        path.unlink(missing_ok=True)
                        self.say("write", said, "unsupported", short(error))
                    else:
                        self.say("write", said, "written")



def main():
    name, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    sys.modules["driver"] = sys.modules["__main__"]
    driver = Driver(importlib.import_module("with_" + name), folder)
    driver.read()
    driver.refuse()
    driver.write()
    driver.out.close()


if __name__ == "__main__":
    main()
