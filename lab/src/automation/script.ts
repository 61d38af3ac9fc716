/** Builds what a job says, event by event, in the form of AWX's display callback. */
import type { EventSpec, HostCounts, Script } from "./types.ts";
import { buildUuid } from "./world.ts";

export const COLOUR = {
	ok: "0;32",
	changed: "0;33",
	failed: "0;31",
	skipped: "0;36",
	dark: "1;31",
	warning: "1;35",
} as const;
/** Each line by itself, as Ansible colours it. */
export const paintLines = (colour: keyof typeof COLOUR, text: string): string =>
	text
		.split("\r\n")
		.map((line) => `\u001b[${COLOUR[colour]}m${line}\u001b[0m`)
		.join("\r\n");

const WIDTH = 79;
const formatBanner = (text: string): string => `\r\n${text} ${"*".repeat(Math.max(3, WIDTH - text.length))}`;

export const LEVELS: Readonly<Record<string, number>> = {
	playbook_on_start: 0,
	verbose: 0,
	playbook_on_play_start: 1,
	playbook_on_stats: 1,
	playbook_on_task_start: 2,
	playbook_on_no_hosts_matched: 2,
	playbook_on_include: 2,
};
export const DISPLAY: Readonly<Record<string, string>> = {
	playbook_on_start: "Playbook Started",
	playbook_on_stats: "Playbook Complete",
	playbook_on_no_hosts_matched: "No Hosts Matched",
	playbook_on_include: "Including File",
	runner_retry: "Host Retry",
	runner_on_start: "Host Started",
	runner_on_ok: "Host OK",
	runner_on_failed: "Host Failed",
	runner_on_skipped: "Host Skipped",
	runner_on_unreachable: "Host Unreachable",
	runner_item_on_ok: "Item OK",
	runner_item_on_failed: "Item Failed",
	runner_item_on_skipped: "Item Skipped",
	verbose: "Verbose",
};

interface Emitted {
	readonly stdout?: string;
	readonly host?: string;
	readonly display?: string;
	readonly failed?: boolean;
	readonly changed?: boolean;
	readonly data?: Readonly<Record<string, unknown>>;
	readonly parent?: string;
	readonly uuid?: string;
}

export interface ScriptBuilder {
	start(): void;
	play(name: string): void;
	task(name: string, action?: string): void;
	/** The plays and tasks that follow are those from the beginning, on another batch of hosts. */
	again(): void;
	emit(event: string, what?: Emitted): void;
	/** Milliseconds in which nothing is said. */
	wait(ms: number): void;
	count(host: string): HostCounts;
	finish(ended: {
		readonly finishMs: number;
		readonly artifacts?: unknown;
		readonly status?: Script["status"];
	}): Script;
}

/** A script that is being written: its events so far, and the current play and task. */
interface ScriptState {
	readonly key: string;
	readonly events: EventSpec[];
	task: { name: string; uuid: string; action: string };
	readonly playbook: string;
	tasks: number;
	readonly playbookUuid: string;
	play: { name: string; uuid: string };
	clock: number;
	readonly gapMs: number;
	line: number;
	readonly guid: string;
	readonly counts: Record<string, HostCounts>;
	plays: number;
	/** Place of the play and the task in the playbook, by which they are known. */
	place: { play: number; task: number };
}

function emitEvent(script: ScriptState, event: string, what: Emitted = {}): void {
	const stdout = what.stdout ?? "";
	const lines = stdout === "" ? 0 : stdout.split("\r\n").length;
	const uuid = what.uuid ?? buildUuid(`${script.key}:${script.events.length}`);
	const runner = event.startsWith("runner_") || event === "playbook_on_include";
	const taskData = {
		task: script.task.name,
		task_uuid: script.task.uuid,
		task_action: script.task.action,
		resolved_action: script.task.action,
		task_args: "",
		task_path: `/tmp/awxrun/project/${script.playbook}:${script.tasks + 4}`,
	};
	const context =
		event === "verbose"
			? {}
			: {
					playbook: script.playbook,
					playbook_uuid: script.playbookUuid,
					...(runner || event === "playbook_on_task_start" || event === "playbook_on_play_start"
						? { play: script.play.name, play_uuid: script.play.uuid, play_pattern: "all" }
						: {}),
					...(runner || event === "playbook_on_task_start" ? taskData : {}),
					...(what.host === undefined ? {} : { host: what.host }),
				};
	script.clock += script.gapMs;
	script.events.push({
		event,
		level: LEVELS[event] ?? 3,
		at: script.clock,
		stdout,
		startLine: script.line,
		endLine: script.line + lines,
		display: what.display ?? DISPLAY[event] ?? event,
		failed: what.failed ?? false,
		changed: what.changed ?? false,
		...(what.host === undefined ? {} : { host: what.host }),
		...(event === "playbook_on_start" || event === "playbook_on_stats" || event === "verbose"
			? {}
			: { play: script.play.name }),
		...(runner || event === "playbook_on_task_start" ? { task: script.task.name } : {}),
		data: { ...context, ...what.data, uuid, guid: script.guid },
		uuid,
		parent: what.parent ?? (runner ? script.task.uuid : ""),
	});
	script.line += lines;
}

function emitStats(script: ScriptState): void {
	const rows = Object.entries(script.counts).sort(([a], [b]) => (a < b ? -1 : 1));
	const recap = rows.map(([host, c]) => recapLine(host, c)).join("\r\n");
	const column = (name: keyof HostCounts) =>
		Object.fromEntries(rows.filter(([, c]) => c[name] > 0).map(([host, c]) => [host, c[name]]));
	emitEvent(script, "playbook_on_stats", {
		stdout: `${formatBanner("PLAY RECAP")}${recap === "" ? "" : `\r\n${recap}`}`,
		failed: rows.some(([, c]) => c.failures + c.dark > 0),
		changed: rows.some(([, c]) => c.changed > 0),
		data: {
			changed: column("changed"),
			dark: column("dark"),
			failures: column("failures"),
			ignored: column("ignored"),
			ok: column("ok"),
			processed: Object.fromEntries(rows.map(([host]) => [host, 1])),
			rescued: column("rescued"),
			skipped: column("skipped"),
			artifact_data: {},
		},
		parent: script.playbookUuid,
	});
}

function startPlay(script: ScriptState, name: string): void {
	script.plays++;
	script.place.play++;
	script.play = { name, uuid: buildUuid(`${script.key}:play:${script.place.play}`) };
	const data = { name, pattern: "all" };
	const display = `Play Started (${name})`;
	emitEvent(script, "playbook_on_play_start", {
		stdout: formatBanner(`PLAY [${name}]`),
		display,
		data,
		uuid: script.play.uuid,
		parent: script.playbookUuid,
	});
}

function startTask(script: ScriptState, name: string, action = "ansible.builtin.debug"): void {
	script.tasks++;
	script.place.task++;
	script.task = { name, action, uuid: buildUuid(`${script.key}:task:${script.place.task}`) };
	const data = { name, is_conditional: false };
	const display = `Task Started (${name})`;
	emitEvent(script, "playbook_on_task_start", {
		stdout: formatBanner(`TASK [${name}]`),
		display,
		data,
		uuid: script.task.uuid,
		parent: script.play.uuid,
	});
}

function repeatTask(script: ScriptState): void {
	script.place = { play: 0, task: 0 };
}

function waitFor(script: ScriptState, ms: number): void {
	script.clock += ms;
}

function countHost(script: ScriptState, host: string): HostCounts {
	script.counts[host] ??= {
		ok: 0,
		changed: 0,
		failures: 0,
		dark: 0,
		skipped: 0,
		ignored: 0,
		rescued: 0,
		processed: 1,
	};
	return script.counts[host];
}

function finishScript(
	script: ScriptState,
	{
		finishMs,
		artifacts = {},
		status,
	}: { readonly finishMs: number; readonly artifacts?: unknown; readonly status?: Script["status"] },
): Script {
	const told = script.plays > 0;
	if (told) emitStats(script);
	const failed = Object.values(script.counts).some((c) => c.failures + c.dark > 0);
	return {
		length: script.events.length,
		at: (index) => script.events[index] as EventSpec,
		duration: script.clock + finishMs,
		status: status ?? (failed ? "failed" : "successful"),
		stats: told ? script.counts : null,
		artifacts,
		plays: script.plays,
		tasks: script.tasks,
	};
}

/** @param key the same key gives the same uuids */
export function createScript(playbook: string, key: string, gapMs: number): ScriptBuilder {
	const playbookUuid = buildUuid(`${key}:playbook`);

	const script: ScriptState = {
		key,
		events: [],
		task: { name: "", uuid: "", action: "" },
		playbook,
		tasks: 0,
		playbookUuid,
		play: { name: "", uuid: "" },
		clock: 0,
		gapMs,
		line: 0,
		guid: buildUuid(`${key}:guid`).replaceAll("-", ""),
		counts: {},
		plays: 0,
		place: { play: 0, task: 0 },
	};

	return {
		emit: (event, what) => emitEvent(script, event, what),
		start: () => emitEvent(script, "playbook_on_start", { uuid: playbookUuid }),
		play: (name) => startPlay(script, name),
		task: (name, action) => startTask(script, name, action),
		again: () => repeatTask(script),
		wait: (ms) => waitFor(script, ms),
		count: (host) => countHost(script, host),
		finish: (ended) => finishScript(script, ended),
	};
}

/** Some of the names that are keywords of a playbook. */
const RESERVED = ["check_mode", "diff", "environment", "gather_facts", "hosts", "vars", "when"];

/** The script with a warning at its beginning for each variable that has a reserved name. */
export function withWarnings(script: Script, vars: Readonly<Record<string, unknown>>, key: string): Script {
	const names = RESERVED.filter((name) => Object.hasOwn(vars, name));
	if (names.length === 0) return script;
	const warnings = names.map((name, at): EventSpec => {
		const uuid = buildUuid(`${key}:warning:${at}`);
		return {
			event: "verbose",
			level: 0,
			at: 0,
			stdout: `\u001b[1;35m[WARNING]: Found variable using reserved name: ${name}\u001b[0m`,
			startLine: at,
			endLine: at + 1,
			display: "Verbose",
			failed: false,
			changed: false,
			data: { uuid },
			uuid,
			parent: "",
		};
	});
	const later = (spec: EventSpec): EventSpec => ({
		...spec,
		startLine: spec.startLine + names.length,
		endLine: spec.endLine + names.length,
	});
	return {
		...script,
		length: script.length + names.length,
		at: (index) => warnings[index] ?? later(script.at(index - names.length)),
	};
}

function recapLine(host: string, c: HostCounts): string {
	const whole: keyof typeof COLOUR = c.failures + c.dark > 0 ? "failed" : c.changed > 0 ? "changed" : "ok";
	const cell = (name: string, value: number, colour: keyof typeof COLOUR) => {
		const text = `${name}=${String(value).padEnd(4)}`;
		return value > 0 ? paintLines(colour, text) : text;
	};
	const cells = [
		cell("ok", c.ok, "ok"),
		cell("changed", c.changed, "changed"),
		cell("unreachable", c.dark, "dark"),
		cell("failed", c.failures, "failed"),
		cell("skipped", c.skipped, "skipped"),
		cell("rescued", c.rescued, "ok"),
		cell("ignored", c.ignored, "skipped"),
	];
	return `${paintLines(whole, host)}${" ".repeat(Math.max(1, 27 - host.length))}: ${cells.join(" ")}`;
}
