/** The notification of the transitions of one run. */
import type { Alert } from "./state.ts";

export interface CheckAlert extends Alert {
	readonly checkId: string;
	readonly checkName: string;
	readonly violations: number;
	readonly error: string | null;
}

export interface Notice {
	readonly severity: Alert["severity"];
	readonly title: string;
	readonly body: string;
	readonly link: string;
}

const RANKS = ["info", "warning", "error"] as const;
const ORDER = ["failing", "error", "recovered"] as const;
const WORDS = { failing: "is failing", error: "could not be evaluated", recovered: "is ok again" } as const;
const COUNTED = { failing: "failing", error: "not evaluated", recovered: "ok again" } as const;
const LISTED = 10;

/** @param connection the connection's name; null: all connections of the check together */
export function noticeOf(alerts: readonly [CheckAlert, ...CheckAlert[]], connection: string | null): Notice {
	const sorted = [...alerts].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
	const severity = RANKS[Math.max(...alerts.map((alert) => RANKS.indexOf(alert.severity)))] ?? "info";
	const lines = sorted.slice(0, LISTED).map(lineOf);
	if (sorted.length > LISTED) lines.push(`and ${sorted.length - LISTED} more`);
	const [only] = alerts;
	return {
		severity,
		title: alerts.length === 1 ? titleOfOne(only, connection) : titleOfMany(sorted, connection),
		body: lines.join("\n"),
		link: alerts.length === 1 ? `/api/checks/${only.checkId}/` : "/api/checks/",
	};
}

const titleOfOne = ({ checkName, kind }: CheckAlert, connection: string | null): string =>
	`Check "${checkName}" ${WORDS[kind]} ${connection === null ? "across its connections" : `on ${connection}`}`;

function titleOfMany(alerts: readonly CheckAlert[], connection: string | null): string {
	const counts = ORDER.flatMap((kind) => {
		const count = alerts.filter((alert) => alert.kind === kind).length;
		return count === 0 ? [] : `${count} ${COUNTED[kind]}`;
	});
	return `Checks ${connection === null ? "across connections" : `on ${connection}`}: ${counts.join(", ")}`;
}

function lineOf({ checkName, kind, violations, error }: CheckAlert): string {
	const count = `${violations} ${violations === 1 ? "violation" : "violations"}`;
	return `"${checkName}" ${WORDS[kind]}${kind === "failing" ? `: ${count}` : kind === "error" ? `: ${error ?? ""}` : ""}`;
}
