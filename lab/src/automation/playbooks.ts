/** The playbooks of the simulated project: what each does with the job's variables and hosts. */
import { buildResultData, emitDebugTask, type Run } from "./playbook-parts.ts";
import {
	buildAsyncScript,
	buildIncludeScript,
	buildNestedScript,
	buildPodsScript,
	buildRowsScript,
} from "./playbooks-rows.ts";
import { createScript, paintLines } from "./script.ts";
import type { EventSpec, Script } from "./types.ts";
import { buildUuid } from "./world.ts";

export function buildScript(run: Run): Script {
	if (run.hosts.length === 0 && run.playbook !== "syntax.yml")
		return run.populated ? buildUnknownLimit(run) : buildNoHosts(run);
	switch (run.playbook) {
		case "rows.yml":
			return buildRowsScript(run);
		case "nested.yml":
			return buildNestedScript(run);
		case "async.yml":
			return buildAsyncScript(run);
		case "pods.yml":
			return buildPodsScript(run);
		case "include.yml":
			return buildIncludeScript(run);
		case "sleep.yml":
			return buildSleepScript(run);
		case "big.yml":
			return buildBigScript(run);
		case "odd.yml":
			return buildOddScript(run);
		case "syntax.yml":
			return buildSyntaxErrorScript(run);
		case "chatty.yml":
			return buildChattyScript(run);
		default:
			return buildSimpleScript(run, "Hello", `"msg": "Hello World!"`);
	}
}

const NO_HOSTS = [
	"[WARNING]: provided hosts list is empty, only localhost is available. Note that",
	"the implicit localhost does not match 'all'",
];

/** An inventory without hosts: nothing runs, and the job is successful. */
function buildNoHosts({ playbook, key, gapMs, finishMs }: Run): Script {
	const script = createScript(playbook, key, gapMs);
	for (const line of NO_HOSTS) script.emit("verbose", { stdout: paintLines("warning", line) });
	script.start();
	script.play("Nobody");
	script.emit("playbook_on_no_hosts_matched", { stdout: paintLines("skipped", "skipping: no hosts matched") });
	return script.finish({ finishMs });
}

/** A limit that leaves no host of the inventory is an error. */
function buildUnknownLimit({ playbook, key, gapMs, finishMs }: Run): Script {
	const script = createScript(playbook, key, gapMs);
	script.emit("verbose", {
		stdout: paintLines("failed", "ERROR! Specified hosts and/or --limit does not match any hosts"),
	});
	return script.finish({ finishMs, status: "failed" });
}

/** Waits for as many seconds as the variable `secs` says. */
function buildSleepScript({ playbook, key, hosts, vars, gapMs, finishMs }: Run): Script {
	const script = createScript(playbook, key, gapMs);
	script.start();
	script.play("Slow");
	emitDebugTask(script, hosts, "Step one", `"msg": "one"`, "one");
	script.task("Wait", "ansible.builtin.command");
	for (const host of hosts) script.emit("runner_on_start", { host });
	script.wait((typeof vars.secs === "number" ? vars.secs : 1) * 1000);
	for (const host of hosts) {
		const counts = script.count(host);
		counts.ok++;
		counts.changed++;
		const res = { changed: true, stdout: "", stderr: "", rc: 0 };
		const stdout = paintLines("changed", `changed: [${host}]`);
		script.emit("runner_on_ok", { host, stdout, changed: true, data: buildResultData(host, res) });
	}
	emitDebugTask(script, hosts, "Step two", `"msg": "two"`, "two");
	return script.finish({ finishMs });
}

/** More output than is shown. */
function buildBigScript({ playbook, key, hosts, gapMs, finishMs }: Run): Script {
	const script = createScript(playbook, key, gapMs);
	script.start();
	script.play("Big");
	for (const host of hosts) {
		emitDebugTask(script, [host], "Much", `"msg": "${"x".repeat(1_606_000)}"`, "x".repeat(1_606_000));
	}
	return script.finish({ finishMs });
}

function buildSimpleScript({ playbook, key, hosts, gapMs, finishMs }: Run, name: string, message: string): Script {
	const script = createScript(playbook, key, gapMs);
	script.start();
	script.play(`${name} chars`);
	emitDebugTask(script, hosts, name, message, message);
	return script.finish({ finishMs });
}

/** Characters that get lost or doubled on the way. */
function buildOddScript(run: Run): Script {
	const text = "tab[\t] back[\\] uni[ü中] esc[\u001b[31mred] url https://user:secret@example.com/x";
	return buildSimpleScript(run, "Odd", `"msg": ${JSON.stringify(text)}`);
}

const SYNTAX = [
	"ERROR! couldn't resolve module/action 'nosuchmodule_xyz'. This often indicates a misspelling, " +
		"missing collection, or incorrect module path.",
	"",
	"The error appears to be in '/tmp/awxrun/project/syntax.yml': line 5, column 7, but may",
	"be elsewhere in the file depending on the exact syntax problem.",
	"",
	"The offending line appears to be:",
	"",
	"  tasks:",
	"    - nosuchmodule_xyz: {}",
	"      ^ here",
];

/** Fails before there is a play: nothing but `verbose` lines. */
function buildSyntaxErrorScript({ playbook, key, gapMs, finishMs }: Run): Script {
	const script = createScript(playbook, key, gapMs);
	for (const line of SYNTAX) script.emit("verbose", { stdout: paintLines("failed", line) });
	return script.finish({ finishMs, status: "failed" });
}

/** `events` events of one line each, `every_ms` apart, made when they are asked for. */
function buildChattyScript({ playbook, key, hosts, vars, finishMs }: Run): Script {
	const count = Math.max(3, typeof vars.events === "number" ? vars.events : 100);
	const every = typeof vars.every_ms === "number" ? vars.every_ms : 5;
	const host = hosts[0] ?? "leaf101";
	const opening = createScript(playbook, key, every);
	opening.start();
	opening.play("Chatty");
	opening.task("Say", "ansible.builtin.debug");
	opening.count(host).ok = count - 4;
	const head = opening.finish({ finishMs });
	const said = count - 4;
	const line = head.at(2).endLine;
	const at = (index: number): EventSpec => {
		if (index < 3) return head.at(index);
		if (index === count - 1) {
			const last = head.at(3);
			return {
				...last,
				at: count * every,
				startLine: line + said,
				endLine: line + said + last.endLine - last.startLine,
			};
		}
		const n = index - 3;
		const uuid = buildUuid(`${key}:said:${n}`);
		return {
			event: "runner_on_ok",
			level: 3,
			at: (index + 1) * every,
			display: "Host OK",
			host,
			play: "Chatty",
			task: "Say",
			startLine: line + n,
			endLine: line + n + 1,
			failed: false,
			changed: false,
			uuid,
			stdout: paintLines("ok", `ok: [${host}] => line ${n} of ${said}`),
			parent: head.at(2).uuid,
			data: { ...head.at(2).data, host, res: { changed: false, msg: n }, uuid },
		};
	};
	return { ...head, length: count, at, duration: count * every + finishMs };
}
