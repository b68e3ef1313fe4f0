// Settings for every run: the configuration file, the environment, and the order of precedence.
import ArgumentParser
import Glibc
import Settings
import Terminal
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("The configuration", .serialized)
struct ConfigTests {
    private let folder = TestFolder()
    private var home: [String: String] {
        [
            "XDG_CONFIG_HOME": folder["config"], "XDG_DATA_HOME": folder["data"], "XDG_CACHE_HOME": folder["cache"],
        ]
    }

    init() { folder.write("song.wav", Wave.ramp(frames: 2400, channels: 1, rate: 8000)) }

    @discardableResult
    private func config(_ arguments: String..., with environment: [String: String] = [:]) -> Finished {
        Command.run(["config"] + arguments, environment: home.merging(environment) { $1 })
    }

    /// The speed of the first pass.
    private func speed(_ arguments: String..., with environment: [String: String] = [:]) -> String? {
        let run = Command.run(
            ["practice", folder["song.wav"], "--output", "null", "--clock", "virtual", "--json"] + arguments,
            environment: home.merging(environment) { $1 })
        let pass = run.lines.first { $0.contains(#""event":"pass.started""#) } ?? run.error
        return pass.split(separator: #""speed":"#).dropFirst().first.map { String($0.prefix { $0 != "," }) }
    }

    @Test("config lists values with their sources, sets, reads and removes values, and keeps other lines")
    func verbs() {
        #expect(config("path").text == folder["config"] + "/woodshed/woodshed.conf\n")
        #expect(config("get", "speed").text == "100%\n")
        #expect(!folder.names.contains("config"))
        #expect(config("set", "speed", "80%").status == 0 && config("set", "plain", "yes").status == 0)
        let path = "config/woodshed/woodshed.conf"
        #expect(folder.read(path) == Array("speed = 80%\nplain = yes\n".utf8))
        folder.write(path, Array("# mine\nspeed = 80%  # slow\nfuture = 1\n".utf8))
        #expect(config("set", "speed", "70%").status == 0)
        #expect(folder.read(path) == Array("# mine\nspeed = 70%  # slow\nfuture = 1\n".utf8))
        let list = config()
        #expect(list.lines.first == "speed          70%        \(folder[path]), line 2")
        #expect(list.error.contains("line 3: there is no option 'future'"))
        let json = config("--json", with: ["WOODSHED_GAP": "1.0x"]).lines
        #expect(json.count == SettingOption.all.count)
        #expect(json.contains(#"{"v":1,"option":"gap","value":"1.0x","source":"WOODSHED_GAP"}"#))
        #expect(json.contains(#"{"v":1,"option":"joint","value":"crossfade","source":"default"}"#))
        #expect(config("unset", "speed").status == 0 && config("unset", "future").status == 0)
        #expect(folder.read(path) == Array("# mine\n".utf8))
    }

    @Test("config lists all options and names each impossible value, from the environment or the file")
    func impossibleValues() {
        let good = config("--json").lines.count
        config("set", "gap", "0.1")
        folder.write("config/woodshed/woodshed.conf", Array("gap = wide\nspeed = 80%\n".utf8))
        let variable = ["WOODSHED_PITCH": "high", "WOODSHED_COUNT_IN": "none"]
        let list = config(with: variable)
        #expect(list.status == 78 && list.lines.count == good, "\(list.error)")
        #expect(list.lines.contains { $0.hasPrefix("speed ") && $0.contains("80%") })
        #expect(list.lines.contains { $0.hasPrefix("pitch ") && $0.contains("high") && $0.contains("WOODSHED_PITCH") })
        #expect(list.error.contains("WOODSHED_PITCH: 'high' is not"), "\(list.error)")
        #expect(list.error.contains("line 1: gap: 'wide' is not"), "\(list.error)")
        #expect(list.errorLines.count == 4, "\(list.error)")
        let json = config("--json", with: variable)
        #expect(json.status == 78 && json.lines.count == good)
        #expect(json.lines.filter { $0.contains(#""message":"#) }.count == 2, "\(json.text)")
        // The verb that an impossible value concerns is refused as before.
        #expect(config("get", "gap").status == 78 && config("get", "speed").text == "80%\n")
    }

    @Test("the count-in none can be set, and is a value of the option on the command line")
    func noCountIn() {
        #expect(config("set", "count-in", "4:90").status == 0 && config("set", "count-in", "none").status == 0)
        #expect(config("get", "count-in").text == "none\n")
        config("set", "count-in", "2")
        func practice(_ words: String...) -> Finished {
            Command.run(
                ["practice", folder["song.wav"], "-n", "1", "--output", "null", "--clock", "virtual", "--json"] + words,
                environment: home)
        }
        // Two clicks, 100 a minute, at 8000 Hz.
        #expect(practice().lines.first?.contains(#""frame":9600,"#) == true)
        let without = practice("--count-in", "none")
        #expect(without.lines.first?.contains(#""frame":0,"#) == true, "\(without.text)\(without.error)")
    }

    @Test("a flag precedes the environment, then section, recording, file and standard value")
    func precedence() {
        #expect(speed() == "1.0")
        config("set", "speed", "90%")
        #expect(speed() == "0.9")
        _ = Command.run(["sections", folder["song.wav"], "add", "0.1-0.2", "--name", "A"], environment: home)
        #expect(speed() == "0.9")
        _ = Command.run(["sections", folder["song.wav"], "set", "A", "speed=70%"], environment: home)
        #expect(speed() == "0.7" && speed("--section", "0-0.1") == "0.9")
        let variable = ["WOODSHED_SPEED": "60%"]
        #expect(speed(with: variable) == "0.6" && speed("-s", "50%", with: variable) == "0.5")
        #expect(speed("--speed=50%", with: variable) == "0.5")
        #expect(speed("--ramp", "50%:60%:10%", "-n", "2", with: variable) == "0.5")
    }

    @Test("a user's recipe is checked when set, and replaces a built-in recipe of the same name")
    func recipes() {
        #expect(config("recipes").lines.map { $0.prefix { $0 != " " } } == ["blind", "intensive", "shadow"])
        #expect(config("set", "recipe.slow", "passes=2 speed=50% gap=0.1; passes=1 text=never").status == 0)
        #expect(config("set", "recipe.blind", "passes=7").status == 0)
        #expect(config("get", "recipe.blind").text == "passes=7\n")
        for wrong in ["", "passes=0", "passes=2;;passes=1", "speed", "speed=5000%", "tempo=3", "text=loud", "gap=x"] {
            let run = config("set", "recipe.slow", wrong)
            #expect(run.status == 64 && run.errorLines.count == 2, "\(wrong): \(run.error)")
        }
        #expect(config("set", "recipe.", "passes=2").status == 64)
        #expect(
            config("recipes", "--json").lines.contains {
                $0.contains(#""option":"recipe.slow""#) && $0.contains("file")
            })
        #expect(config().error.isEmpty)
        func practice(_ arguments: String...) -> Finished {
            Command.run(
                ["practice", folder["song.wav"], "--output", "null", "--clock", "virtual", "--json"] + arguments,
                environment: home)
        }
        let passes = practice("--recipe", "slow").lines.filter { $0.contains(#""event":"pass.started""#) }
        #expect(passes.map { $0.contains(#""speed":0.5"#) } == [true, true, false])
        #expect(passes.allSatisfy { $0.contains(#""passes":3"#) })
        let unknown = practice("--recipe", "slwo")
        #expect(unknown.status == 64 && unknown.error.contains("Did you mean 'slow'?"))
        for rival in [["-n", "2"], ["--ramp", "50%:100%"], ["--curve", "0=70%"]] {
            #expect(
                Command.run(["practice", folder["song.wav"], "--recipe", "slow"] + rival, environment: home).status
                    == 64)
        }
        folder.write("config/woodshed/woodshed.conf", Array("recipe.broken = passes=many\n".utf8))
        let broken = practice("--recipe", "broken")
        #expect(broken.status == 78 && broken.error.contains("config unset recipe.broken"))
        #expect(config("unset", "recipe.broken").status == 0 && practice("--recipe", "broken").status == 64)
    }

    @Test("keys are listed and remapped; a wrong line for a key is refused with its place")
    func keys() {
        #expect(
            config("keys").lines.contains { $0.split(separator: " ").joined(separator: " ") == "playing.space pause" })
        #expect(config("set", "key.playing.z", "loop start; speed 80%").status == 0)
        let rows = config("keys", "--json").lines
        #expect(rows.contains(#"{"v":1,"option":"key.playing.z","value":"loop start; speed 80%","source":"file"}"#))
        #expect(
            config("set", "key.playing.zz", "pause").status == 64 && config("set", "key.playing.z", "fly").status == 64)
        #expect(config("set", "key.input.ctrl+k", "delete line").status == 0)
        #expect(config("unset", "key.input.ctrl+k").status == 0)
        for (name, words) in [("list.up", "pause"), ("confirm.o", "maybe"), ("elsewhere.o", "yes"), ("o", "yes")] {
            let wrong = config("set", "key." + name, words)
            #expect(wrong.status == 64 && !wrong.error.isEmpty, "\(name)")
        }
        #expect(config("set", "key.elsewhere.o", "yes").error.contains("playing, list, input, confirm, recording"))
        #expect(config().error.isEmpty)
        folder.write("config/woodshed/woodshed.conf", Array("key.playing.z = fly\n".utf8))
        let run = Command.run(
            ["play", folder["song.wav"], "--output", "null", "--clock", "virtual"], environment: home)
        #expect(run.status == 78 && run.error.contains("line 1: 'fly' is not an action"), "\(run.error)")
        #expect(config("unset", "key.playing.z").status == 0 && folder.read("config/woodshed/woodshed.conf").isEmpty)
    }

    @Test("config keys, midi and recipes list the possible lines and report each impossible line")
    func impossibleLines() {
        let count = { (action: String) in config(action).lines.count }
        let (keys, recipes) = (count("keys"), count("recipes"))
        config("set", "speed", "80%")
        folder.write(
            "config/woodshed/woodshed.conf",
            Array(
                """
                key.playing.z = fly
                key.playing.z = pause
                key.nowhere.z = pause
                midi.xx = pause
                midi.cc64 = pause
                midi.cc65 = fly
                recipe.slow = passes=2
                recipe.many = passes=many
                recipe.zero = passes=0

                """.utf8))
        for (action, good, wrong) in [("keys", keys, [1, 3]), ("midi", 1, [4, 6]), ("recipes", recipes + 1, [8, 9])] {
            for json in [[], ["--json"]] {
                let list = Command.run(["config", action] + json, environment: home)
                #expect(list.status == 78 && list.lines.count == good, "\(action): \(list.text)\(list.error)")
                #expect(list.errorLines.count == 2 * wrong.count, "\(action): \(list.error)")
                for line in wrong { #expect(list.error.contains("line \(line): "), "\(action): \(list.error)") }
            }
        }
        let rows = config("keys", "--json").lines
        #expect(rows.contains(#"{"v":1,"option":"key.playing.z","value":"pause","source":"file"}"#))
        #expect(config("recipes").lines.contains { $0.hasPrefix("slow ") })
        #expect(config("midi").lines == ["cc64  pause"])
    }

    @Test("impossible values are refused with their place, and config set is as strict as the options")
    func refusals() {
        for (words, status) in [
            (["set", "speed", "700"], 64), (["set", "sped", "70%"], 64), (["get"], 64), (["sett", "speed", "1"], 64),
            (["set", "plain", "maybe"], 64), (["unset", "sped"], 64), (["set", "joint", "none"], 64),
        ] {
            let run = Command.run(["config"] + words, environment: home)
            #expect(run.status == Int32(status) && run.errorLines.count == 2, "\(words): \(run.error)")
        }
        #expect(!folder.names(in: "config/woodshed").contains("woodshed.conf"))
        config("set", "speed", "70%")
        folder.write("config/woodshed/woodshed.conf", Array("\nspeed = fast\n".utf8))
        let run = Command.run(["play", folder["song.wav"], "--output", "null"], environment: home)
        #expect(
            run.status == 78 && run.error.contains("woodshed.conf, line 2: speed: 'fast' is not a speed"),
            "\(run.error)")
        #expect(config(with: ["WOODSHED_OUTPUT": "x", "WOODSHED_SPEED": "1"]).status == 0)
        let variable = config(with: ["WOODSHED_PERIODS": "9"])
        #expect(
            variable.status == 78
                && variable.errorLines.suffix(2) == [
                    "woodshed: WOODSHED_PERIODS: '9' is not a possible number",
                    "Write a whole number from 2 to 4. Change or unset the variable WOODSHED_PERIODS.",
                ], "\(variable.error)")
        folder.write("config/woodshed/woodshed.conf", [0, 1, 2])
        #expect(config().status == 78 && config("set", "speed", "70%").status == 78)
        #expect(folder.read("config/woodshed/woodshed.conf") == [0, 1, 2])
        // Verbs without such options do not read the configuration, nor does the help.
        #expect(Command.run(["info", folder["song.wav"]], environment: home).status == 0)
        #expect(Command.run(["practice", "--help"], environment: home).status == 0)
        #expect(Command.run(["config", "set", "speed", "70%"]).status == 78)
    }

    @Test("every refusal of a value has a remedy, and the remedy names the place of the value")
    func remedies() {
        let line = "a {url} {url}"
        let flag = Command.run(["get", "--list", "--extractor", line], environment: home)
        #expect(flag.status == 64 && flag.error.contains("Write a program and its arguments"), "\(flag.error)")
        #expect(config("set", "extractor", line).error.contains("Write a program and its arguments"))
        #expect(config("set", "output", "").error.contains("woodshed devices"))
        // Makes the folder.
        config("set", "speed", "70%")
        folder.write("config/woodshed/woodshed.conf", Array("extractor = \(line)\n".utf8))
        let file = Command.run(["get", "--list"], environment: home)
        #expect(
            file.status == 78 && file.error.contains("line 1: extractor: ")
                && file.error.contains("Write a program and its arguments")
                && file.error.contains("{url}. Change the value")
                && file.error.contains("woodshed config unset extractor"), "\(file.error)")
        let log = Command.run(["info", folder["song.wav"]], environment: ["WOODSHED_LOG": "loud"])
        #expect(log.status == 78 && log.error.contains("unset the variable WOODSHED_LOG."), "\(log.error)")
        #expect(Command.run(["info", folder["song.wav"], "--log-level", "loud"]).status == 64)
    }

    @Test("the remedy of each option for a wrong value is a sentence, because another sentence may follow")
    func sentences() {
        for option in SettingOption.all {
            for text in ["", "?", "a {url} {url}", "70", "99999999"] {
                do throws(ArgumentError) { try option.validate(text) } catch {
                    #expect(error.remedy.hasSuffix(".") || error.remedy.hasSuffix("?"), "\(option.name) \(text)")
                }
            }
        }
    }

    @Test("of two options that exclude each other, the environment precedes the file")
    func rivals() throws {
        config("set", "pitch", "+3")
        func play(_ environment: [String: String]) -> Finished {
            Command.run(
                ["play", folder["song.wav"], "--output", "null", "--clock", "virtual", "-q"],
                environment: home.merging(environment) { $1 })
        }
        #expect(play(["WOODSHED_VARISPEED": "yes"]).status == 0)
        let both = play(["WOODSHED_VARISPEED": "yes", "WOODSHED_PITCH": "2"])
        #expect(both.status == 78 && both.error.contains("unset the variable WOODSHED_VARISPEED."), "\(both.error)")
        folder.write("config/woodshed/woodshed.conf", Array("pitch = +3\nvarispeed = yes\n".utf8))
        #expect(play([:]).error.contains("woodshed config unset varispeed"))
        #expect(play(["WOODSHED_PITCH": "2"]).status == 0)
    }

    @Test("every verb takes every option that the table gives it, and a given option is found in any spelling")
    func table() throws {
        for option in SettingOption.all {
            let value = option.standard
            // The value that the list shows can also be set.
            try option.validate(value)
            for verb in option.verbs {
                let argument = option.isFlag ? "--\(option.name)" : "--\(option.name)=\(value)"
                guard option.standard != KeptSettings.endless else { continue }
                let needed = verb == "render" ? ["-o", "x.wav"] : []
                let file = ["record", "demo"].contains(verb) ? [] : ["song.wav"]
                _ = try Woodshed.parseAsRoot([verb] + file + needed + [argument])
            }
        }
        let speed = try #require(SettingOption.named("speed"))
        for words in [["-s", "1"], ["-s70%"], ["--speed", "1"], ["--speed=1"], ["--curve", "0=1"]] {
            #expect(speed.isGiven(in: words[...]))
        }
        for words in [["--section", "1-2"], ["song-s.wav"], ["-n", "5"], ["--speedy"]] {
            #expect(!speed.isGiven(in: words[...]))
        }
        let quiet = try #require(SettingOption.named("quiet"))
        #expect(quiet.isGiven(in: ["-vq"]) && !quiet.isGiven(in: ["-v", "--quality", "light"]))
    }
}
