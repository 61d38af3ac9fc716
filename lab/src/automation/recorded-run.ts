/** Plays back a run that ansible-runner recorded, as AWX would have stored its events. */
import { DISPLAY, LEVELS } from "./script.ts";
import type { EventSpec, HostCounts, Recording, Script } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;
const toFields = (value: unknown): Fields =>
	typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const toText = (value: unknown): string => (typeof value === "string" ? value : "");
const toNumber = (value: unknown): number => (typeof value === "number" ? value : 0);

const FAILED = /^runner_(on_failed|on_unreachable|on_error|on_async_failed|item_on_failed)$/;
const COUNTS = ["ok", "changed", "failures", "dark", "skipped", "ignored", "rescued"] as const;

/** @param gapMs milliseconds between two events, instead of those that the run took */
export function buildRunScript({ events, status }: Recording, gapMs: number, finishMs: number): Script {
	const specs = [...events]
		.sort((a, b) => toNumber(a.counter) - toNumber(b.counter))
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
	const event = toText(given.event);
	const data = toFields(given.event_data);
	const res = toFields(data.res);
	return {
		event,
		level: LEVELS[event] ?? 3,
		at,
		stdout: toText(given.stdout),
		startLine: toNumber(given.start_line),
		endLine: toNumber(given.end_line),
		display: DISPLAY[event] ?? event,
		failed: FAILED.test(event) && data.ignore_errors !== true,
		changed: res.changed === true,
		...(typeof data.host === "string" ? { host: data.host } : {}),
		play: toText(data.play),
		task: toText(data.task),
		data,
		uuid: toText(given.uuid),
		parent: toText(given.parent_uuid),
	};
}

function getStats(data: Fields): Record<string, HostCounts> {
	const hosts = Object.keys(toFields(data.processed));
	return Object.fromEntries(
		hosts.map((host) => {
			const counts = Object.fromEntries(COUNTS.map((name) => [name, toNumber(toFields(data[name])[host])]));
			return [host, { ...counts, processed: 1 } as unknown as HostCounts];
		}),
	);
}
