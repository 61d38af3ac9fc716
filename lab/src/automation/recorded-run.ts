/** Plays back a run that ansible-runner recorded, as AWX would have stored its events. */
import { DISPLAY, LEVELS } from "./script.ts";
import type { EventSpec, HostCounts, Recording, Script } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;
const fields = (value: unknown): Fields =>
	typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown): number => (typeof value === "number" ? value : 0);

const FAILED = /^runner_(on_failed|on_unreachable|on_error|on_async_failed|item_on_failed)$/;
const COUNTS = ["ok", "changed", "failures", "dark", "skipped", "ignored", "rescued"] as const;

/** @param gapMs milliseconds between two events, instead of those that the run took */
export function scriptOfRun({ events, status }: Recording, gapMs: number, finishMs: number): Script {
	const specs = [...events]
		.sort((a, b) => number(a.counter) - number(b.counter))
		.map((event, index) => buildSpec(event, (index + 1) * gapMs));
	const stats = specs.find(({ event }) => event === "playbook_on_stats")?.data;
	const count = (name: string) => specs.filter(({ event }) => event === name).length;
	return {
		length: specs.length,
		at: (index) => specs[index] as EventSpec,
		duration: specs.length * gapMs + finishMs,
		status,
		stats: stats === undefined ? null : getStats(stats),
		artifacts: stats?.artifact_data ?? {},
		plays: count("playbook_on_play_start"),
		tasks: count("playbook_on_task_start"),
	};
}

function buildSpec(given: Fields, at: number): EventSpec {
	const event = text(given.event);
	const data = fields(given.event_data);
	const res = fields(data.res);
	return {
		event,
		level: LEVELS[event] ?? 3,
		at,
		stdout: text(given.stdout),
		startLine: number(given.start_line),
		endLine: number(given.end_line),
		display: DISPLAY[event] ?? event,
		failed: FAILED.test(event) && data.ignore_errors !== true,
		changed: res.changed === true,
		...(typeof data.host === "string" ? { host: data.host } : {}),
		play: text(data.play),
		task: text(data.task),
		data,
		uuid: text(given.uuid),
		parent: text(given.parent_uuid),
	};
}

function getStats(data: Fields): Record<string, HostCounts> {
	const hosts = Object.keys(fields(data.processed));
	return Object.fromEntries(
		hosts.map((host) => {
			const counts = Object.fromEntries(COUNTS.map((name) => [name, number(fields(data[name])[host])]));
			return [host, { ...counts, processed: 1 } as unknown as HostCounts];
		}),
	);
}
