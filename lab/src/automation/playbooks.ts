/** The playbooks of the simulated project: what each does with the job's variables and hosts. */
import { createScript, painted, type ScriptBuilder } from "./script.ts";
import type { EventSpec, Script } from "./types.ts";
import { uuidOf } from "./world.ts";

export interface Run {
	readonly playbook: string;
	readonly key: string;
	readonly hosts: readonly string[];
	readonly vars: Readonly<Record<string, unknown>>;
	readonly check: boolean;
	readonly gapMs: number;
	readonly finishMs: number;
}

type Row = Readonly<Record<string, unknown>>;
const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value);
const json = (value: unknown) => JSON.stringify(value).replaceAll(",", ", ").replaceAll('":', '": ');
const DEAD = "Failed to connect to the host via ssh: ssh: connect to host 127.0.0.9 port 9: Connection refused";
const isDead = (host: string) => host.startsWith("dead");

export function scriptOf(run: Run): Script {
	switch (run.playbook) {
		case "rows.yml":
			return rows(run);
		case "sleep.yml":
			return sleep(run);
		case "big.yml":
			return big(run);
		case "odd.yml":
			return odd(run);
		case "syntax.yml":
			return syntax(run);
		case "chatty.yml":
			return chatty(run);
		default:
			return simple(run, "Hello", `"msg": "Hello World!"`);
	}
}

function debug(script: ScriptBuilder, hosts: readonly string[], name: string, message: string, value: unknown): void {
	script.task(name);
	for (const host of hosts) script.emit("runner_on_start", { host });
	for (const host of hosts) {
		script.count(host).ok++;
		const res = { msg: value, _ansible_verbose_always: true, _ansible_no_log: false, changed: false };
		const stdout = painted("ok", `ok: [${host}] => {\r\n    ${message}\r\n}`);
		script.emit("runner_on_ok", { host, stdout, data: ended(host, res) });
	}
}

const ended = (host: string, res: unknown, loop: unknown = null) => ({
	remote_addr: isDead(host) ? "127.0.0.9" : "127.0.0.1",
	res,
	start: "2026-01-01T00:00:00.000000+00:00",
	end: "2026-01-01T00:00:00.010000+00:00",
	duration: 0.01,
	event_loop: loop,
});

function skipped(script: ScriptBuilder, host: string): void {
	script.count(host).skipped++;
	const res = { changed: false, skip_reason: "Conditional result was False" };
	script.emit("runner_on_skipped", {
		host,
		stdout: painted("skipped", `skipping: [${host}]`),
		data: ended(host, res),
	});
}

/**
 * One task over the variable `rows`. Of a row count: `name` (its label), `rc` (above 0: fails), `changed` (false: ok),
 * `unreachable`, `skip`. Of the variables: `ignore_errors`, `no_log`, `secs` (before the rows), `row_results` (published
 * as an artifact as it is), `rows_variable` (which variable has the rows).
 */
function rows({ playbook, key, hosts, vars, check, gapMs, finishMs }: Run): Script {
	const script = createScript(playbook, key, gapMs);
	const given = vars[typeof vars.rows_variable === "string" ? vars.rows_variable : "rows"];
	const items = Array.isArray(given) ? given : [];
	script.start();
	script.play("Bulk rows");
	debug(
		script,
		hosts,
		"Show mode",
		`"msg": "check=${check ? "True" : "False"} rows=${items.length}"`,
		`check=${check ? "True" : "False"} rows=${items.length}`,
	);
	if (typeof vars.secs === "number") script.wait(vars.secs * 1000);
	script.task("Apply row", "ansible.builtin.command");
	for (const host of hosts) script.emit("runner_on_start", { host });
	const alive = new Set(hosts);
	if (items.length === 0) for (const host of hosts) skipped(script, host);
	else loop(script, hosts, items, { check, alive, noLog: vars.no_log === true, ignore: vars.ignore_errors === true });
	const left = hosts.filter((host) => alive.has(host));
	if (left.length > 0) {
		script.task("Skipped task");
		for (const host of left) script.emit("runner_on_start", { host });
		for (const host of left) skipped(script, host);
	}
	const labels = items.map((item) => (isRow(item) ? item.name : item));
	const data = { row_results: vars.row_results ?? labels, total: String(items.length) };
	const [first] = left;
	if (first !== undefined) {
		script.task("Publish artifacts", "ansible.builtin.set_stats");
		script.emit("runner_on_start", { host: first });
		script.count(first).ok++;
		const res = { changed: false, ansible_stats: { data, per_host: false, aggregate: true }, _ansible_no_log: false };
		const stdout = painted("ok", `ok: [${first}]`);
		script.emit("runner_on_ok", { host: first, stdout, data: ended(first, res) });
	}
	return script.finish({ finishMs, artifacts: first === undefined ? {} : data });
}

interface Looping {
	readonly check: boolean;
	/** Hosts that go on; those that fail are taken out. */
	readonly alive: Set<string>;
	readonly noLog: boolean;
	readonly ignore: boolean;
}

const CENSORED = "the output has been hidden due to the fact that 'no_log: true' was specified for this result";

function loop(script: ScriptBuilder, hosts: readonly string[], items: readonly unknown[], how: Looping): void {
	const results = new Map<string, unknown[]>(hosts.map((host) => [host, []]));
	const worst = new Map<string, "ok" | "changed" | "skipped" | "failed" | "dark">();
	for (const [index, item] of items.entries()) {
		for (const host of hosts) {
			const row: Row = isRow(item) ? item : {};
			const label = String(row.name ?? (isRow(item) ? index : item));
			const common = { item, ansible_loop_var: "item", _ansible_item_label: label };
			const say = (event: string, kind: "ok" | "changed" | "skipped" | "failed", res: Record<string, unknown>) => {
				const shown = how.noLog ? { censored: CENSORED } : { ...res, ...common };
				results.get(host)?.push(shown);
				const verb = { ok: "ok", changed: "changed", skipped: "skipping", failed: "failed" }[kind];
				const name = how.noLog ? "None" : label;
				const line =
					kind === "failed"
						? `failed: [${host}] (item=${name}) => ${json(shown)}`
						: `${verb}: [${host}] ${kind === "skipped" ? `=> (item=${name}) ` : `=> (item=${name})`}`;
				script.emit(event, {
					host,
					stdout: painted(kind, line),
					failed: kind === "failed",
					changed: res.changed === true,
					data: { res: shown },
				});
			};
			if (isDead(host) || row.unreachable === true) {
				worst.set(host, "dark");
				say("runner_item_on_failed", "failed", { unreachable: true, msg: DEAD });
			} else if (how.check) {
				if (worst.get(host) === undefined) worst.set(host, "skipped");
				say("runner_item_on_skipped", "skipped", {
					changed: false,
					stdout: "",
					stderr: "",
					rc: 0,
					skipped: true,
					msg: "Command would have run if not in check mode",
				});
			} else if (row.skip === true) {
				if (worst.get(host) === undefined) worst.set(host, "skipped");
				say("runner_item_on_skipped", "skipped", { changed: false, skip_reason: "Conditional result was False" });
			} else {
				const rc = typeof row.rc === "number" ? row.rc : 0;
				const changed = row.changed !== false;
				const res = { changed, stdout: `row ${label}`, stderr: "", rc, cmd: ["/bin/sh", "-c", `echo row ${label}`] };
				if (rc > 0) {
					worst.set(host, "failed");
					say("runner_item_on_failed", "failed", { ...res, msg: "non-zero return code" });
				} else {
					if (worst.get(host) !== "failed" && worst.get(host) !== "dark") {
						worst.set(host, changed || worst.get(host) === "changed" ? "changed" : "ok");
					}
					say("runner_item_on_ok", changed ? "changed" : "ok", res);
				}
			}
		}
	}
	for (const host of hosts) close(script, host, worst.get(host) ?? "ok", results.get(host) ?? [], how);
}

function close(script: ScriptBuilder, host: string, worst: string, results: readonly unknown[], how: Looping): void {
	const counts = script.count(host);
	const data = (msg: string, changed: boolean) => ended(host, { results, changed, msg });
	switch (worst) {
		case "failed": {
			if (how.ignore) {
				counts.ok++;
				counts.changed++;
				counts.ignored++;
			} else {
				counts.failures++;
				how.alive.delete(host);
			}
			const stdout = how.ignore ? painted("skipped", "...ignoring") : "";
			const more = { ...data("One or more items failed", true), ignore_errors: how.ignore ? true : null };
			script.emit("runner_on_failed", { host, stdout, failed: !how.ignore, changed: true, data: more });
			return;
		}
		case "dark": {
			counts.dark++;
			how.alive.delete(host);
			const res = { changed: false, msg: "All items completed", results };
			const stdout = painted("dark", `fatal: [${host}]: UNREACHABLE! => ${json(res)}`);
			script.emit("runner_on_unreachable", { host, stdout, failed: true, data: ended(host, res) });
			return;
		}
		case "skipped":
			skipped(script, host);
			return;
		default:
			counts.ok++;
			if (worst === "changed") counts.changed++;
			script.emit("runner_on_ok", { host, changed: worst === "changed", data: data("All items completed", true) });
	}
}

/** Waits for as many seconds as the variable `secs` says. */
function sleep({ playbook, key, hosts, vars, gapMs, finishMs }: Run): Script {
	const script = createScript(playbook, key, gapMs);
	script.start();
	script.play("Slow");
	debug(script, hosts, "Step one", `"msg": "one"`, "one");
	script.task("Wait", "ansible.builtin.command");
	for (const host of hosts) script.emit("runner_on_start", { host });
	script.wait((typeof vars.secs === "number" ? vars.secs : 1) * 1000);
	for (const host of hosts) {
		const counts = script.count(host);
		counts.ok++;
		counts.changed++;
		const res = { changed: true, stdout: "", stderr: "", rc: 0 };
		const stdout = painted("changed", `changed: [${host}]`);
		script.emit("runner_on_ok", { host, stdout, changed: true, data: ended(host, res) });
	}
	debug(script, hosts, "Step two", `"msg": "two"`, "two");
	return script.finish({ finishMs });
}

/** More output than is shown. */
function big({ playbook, key, hosts, gapMs, finishMs }: Run): Script {
	const script = createScript(playbook, key, gapMs);
	script.start();
	script.play("Big");
	for (const host of hosts) {
		debug(script, [host], "Much", `"msg": "${"x".repeat(1_606_000)}"`, "x".repeat(1_606_000));
	}
	return script.finish({ finishMs });
}

function simple({ playbook, key, hosts, gapMs, finishMs }: Run, name: string, message: string): Script {
	const script = createScript(playbook, key, gapMs);
	script.start();
	script.play(`${name} chars`);
	debug(script, hosts, name, message, message);
	return script.finish({ finishMs });
}

/** Characters that get lost or doubled on the way. */
function odd(run: Run): Script {
	const text = "tab[\t] back[\\] uni[ü中] esc[\u001b[31mred] url https://user:secret@example.com/x";
	return simple(run, "Odd", `"msg": ${JSON.stringify(text)}`);
}

const SYNTAX = [
	"ERROR! couldn't resolve module/action 'nosuchmodule_xyz'. This often indicates a misspelling, missing collection, or incorrect module path.",
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
function syntax({ playbook, key, gapMs, finishMs }: Run): Script {
	const script = createScript(playbook, key, gapMs);
	for (const line of SYNTAX) script.emit("verbose", { stdout: painted("failed", line) });
	return script.finish({ finishMs, status: "failed" });
}

/** `events` events of one line each, `every_ms` apart, made when they are asked for. */
function chatty({ playbook, key, hosts, vars, finishMs }: Run): Script {
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
		const uuid = uuidOf(`${key}:said:${n}`);
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
			stdout: painted("ok", `ok: [${host}] => line ${n} of ${said}`),
			parent: head.at(2).uuid,
			data: { ...head.at(2).data, host, res: { changed: false, msg: n }, uuid },
		};
	};
	return { ...head, length: count, at, duration: count * every + finishMs };
}
