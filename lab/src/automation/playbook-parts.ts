/** The parts of the simulated playbooks: tasks, loops over items, hosts that fail. */
import { paintLines, type ScriptBuilder } from "./script.ts";

export interface Run {
	readonly playbook: string;
	readonly key: string;
	readonly hosts: readonly string[];
	/** Whether the inventory has hosts at all, whatever the limit leaves of them. */
	readonly populated: boolean;
	readonly vars: Readonly<Record<string, unknown>>;
	readonly check: boolean;
	readonly gapMs: number;
	readonly finishMs: number;
}

export type Row = Readonly<Record<string, unknown>>;
export const isRow = (value: unknown): value is Row =>
	typeof value === "object" && value !== null && !Array.isArray(value);
export const formatSpacedJson = (value: unknown) => JSON.stringify(value).replaceAll(",", ", ").replaceAll('":', '": ');
const DEAD = "Failed to connect to the host via ssh: ssh: connect to host 127.0.0.9 port 9: Connection refused";
const isDead = (host: string) => host.startsWith("dead");

export function emitDebugTask(
	script: ScriptBuilder,
	hosts: readonly string[],
	name: string,
	message: string,
	value: unknown,
): void {
	script.task(name);
	for (const host of hosts) script.emit("runner_on_start", { host });
	for (const host of hosts) {
		script.count(host).ok++;
		const res = { msg: value, _ansible_verbose_always: true, _ansible_no_log: false, changed: false };
		const stdout = paintLines("ok", `ok: [${host}] => {\r\n    ${message}\r\n}`);
		script.emit("runner_on_ok", { host, stdout, data: buildResultData(host, res) });
	}
}

export const buildResultData = (host: string, res: unknown, loop: unknown = null) => ({
	remote_addr: isDead(host) ? "127.0.0.9" : "127.0.0.1",
	res,
	start: "2026-01-01T00:00:00.000000+00:00",
	end: "2026-01-01T00:00:00.010000+00:00",
	duration: 0.01,
	event_loop: loop,
});

export function emitSkipped(script: ScriptBuilder, host: string): void {
	script.count(host).skipped++;
	const res = { changed: false, skip_reason: "Conditional result was False" };
	script.emit("runner_on_skipped", {
		host,
		stdout: paintLines("skipped", `skipping: [${host}]`),
		data: buildResultData(host, res),
	});
}

/** One round of a loop: the item as it is shown, and the row that decides what becomes of it. */
export interface Item {
	readonly row: Row;
	readonly label: string;
	value(host: string): unknown;
}

/** The rows themselves as the items of a loop. */
export const readRowItems = (items: readonly unknown[]): Item[] =>
	items.map((item, index) => ({
		row: isRow(item) ? item : {},
		label: String((isRow(item) ? item.name : item) ?? index),
		value: () => item,
	}));

type Kind = "ok" | "changed" | "skipped" | "failed" | "dark";
export interface Outcome {
	readonly kind: Kind;
	readonly res: Readonly<Record<string, unknown>>;
	/** Nothing is printed for the item, as of files that are included. */
	readonly quiet?: boolean;
}

export interface Looping {
	/** Hosts that go on; those that fail are taken out. */
	readonly alive: Set<string>;
	readonly check?: boolean;
	readonly noLog?: boolean;
	readonly ignore?: boolean;
	/** The name of the loop's variable; `item` where it is absent. */
	readonly loopVar?: string;
	/** How often a row that fails is tried again. */
	readonly retries?: number;
	/** What becomes of an item; by the fields of its row where it is absent. */
	outcome?(item: Item, host: string): Outcome;
}

const CENSORED = "the output has been hidden due to the fact that 'no_log: true' was specified for this result";

/** By the fields of the row: `unreachable`, `skip`, `rc` (above 0: fails), `changed`. */
export function getOutcome({ row, label }: Item, host: string, check: boolean): Outcome {
	if (isDead(host) || row.unreachable === true) return { kind: "dark", res: { unreachable: true, msg: DEAD } };
	if (check) {
		const msg = "Command would have run if not in check mode";
		return { kind: "skipped", res: { changed: false, stdout: "", stderr: "", rc: 0, skipped: true, msg } };
	}
	if (row.skip === true) {
		return { kind: "skipped", res: { changed: false, skip_reason: "Conditional result was False" } };
	}
	const rc = typeof row.rc === "number" ? row.rc : 0;
	const changed = row.changed !== false;
	const res = { changed, stdout: `row ${label}`, stderr: "", rc, cmd: ["/bin/sh", "-c", `echo row ${label}`] };
	if (rc > 0) return { kind: "failed", res: { ...res, msg: "non-zero return code" } };
	return { kind: changed ? "changed" : "ok", res };
}

const VERBS = { ok: "ok", changed: "changed", skipped: "skipping", failed: "failed", dark: "failed" } as const;
const EVENTS = { ok: "ok", changed: "ok", skipped: "skipped", failed: "failed", dark: "failed" } as const;
/** From the best to the worst; the worst item decides how the loop ends. */
const ORDER: readonly Kind[] = ["skipped", "ok", "changed", "failed", "dark"];

/** A task with a loop on all hosts. @returns what `register` keeps of it, by host */
export function emitLoop(
	script: ScriptBuilder,
	hosts: readonly string[],
	items: readonly Item[],
	how: Looping,
): ReadonlyMap<string, readonly Row[]> {
	const registered = new Map<string, Row[]>(hosts.map((host) => [host, []]));
	const shown = new Map<string, unknown[]>(hosts.map((host) => [host, []]));
	const worst = new Map<string, Kind>();
	const name = how.loopVar ?? "item";
	for (const item of items) {
		for (const host of hosts) {
			const { kind, res, quiet } = how.outcome?.(item, host) ?? getOutcome(item, host, how.check === true);
			const own = { [name]: item.value(host), ansible_loop_var: name };
			const open = { ...res, ...own, _ansible_item_label: item.label };
			const result = how.noLog ? { censored: CENSORED } : open;
			registered.get(host)?.push({ ...res, ...own });
			shown.get(host)?.push(result);
			if (ORDER.indexOf(kind) > ORDER.indexOf(worst.get(host) ?? "skipped") || !worst.has(host)) worst.set(host, kind);
			if (kind === "failed") emitRetries(script, host, res, how.retries ?? 0);
			const colour = kind === "dark" ? "failed" : kind;
			script.emit(`runner_item_on_${EVENTS[kind]}`, {
				host,
				stdout: quiet ? "" : paintLines(colour, getLine(kind, host, how.noLog ? "None" : item.label, result)),
				failed: EVENTS[kind] === "failed",
				changed: res.changed === true,
				data: { res: result },
			});
		}
	}
	for (const host of hosts) emitLoopEnd(script, host, worst.get(host) ?? "ok", shown.get(host) ?? [], how);
	return registered;
}

function getLine(kind: Kind, host: string, label: string, result: unknown): string {
	const line = `${VERBS[kind]}: [${host}]`;
	if (EVENTS[kind] === "failed") return `${line} (item=${label}) => ${formatSpacedJson(result)}`;
	return kind === "skipped" ? `${line} => (item=${label}) ` : `${line} => (item=${label})`;
}

/** Attempts that fail before the last one. */
function emitRetries(script: ScriptBuilder, host: string, res: Row, retries: number): void {
	for (let left = retries; left > 0; left--) {
		script.emit("runner_retry", {
			host,
			stdout: paintLines("dark", `FAILED - RETRYING: [${host}]: Apply row (${left} retries left).`),
			changed: res.changed === true,
			data: { res: { ...res, attempts: retries - left + 1, retries: retries + 1 } },
		});
	}
}

function emitLoopEnd(
	script: ScriptBuilder,
	host: string,
	worst: Kind,
	results: readonly unknown[],
	how: Looping,
): void {
	const counts = script.count(host);
	const data = (msg: string, changed: boolean) => buildResultData(host, { results, changed, msg });
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
			const stdout = how.ignore ? paintLines("skipped", "...ignoring") : "";
			const more = { ...data("One or more items failed", true), ignore_errors: how.ignore ? true : null };
			script.emit("runner_on_failed", { host, stdout, failed: !how.ignore, changed: true, data: more });
			return;
		}
		case "dark": {
			counts.dark++;
			how.alive.delete(host);
			const res = { changed: false, msg: "All items completed", results };
			const stdout = paintLines("dark", `fatal: [${host}]: UNREACHABLE! => ${formatSpacedJson(res)}`);
			script.emit("runner_on_unreachable", { host, stdout, failed: true, data: buildResultData(host, res) });
			return;
		}
		case "skipped":
			emitSkipped(script, host);
			return;
		default:
			counts.ok++;
			if (worst === "changed") counts.changed++;
			script.emit("runner_on_ok", { host, changed: worst === "changed", data: data("All items completed", true) });
	}
}
