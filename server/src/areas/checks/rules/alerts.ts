/** The notification of several decisions about checks on one connection. */
import type { FindingSeverity } from "@weft/contracts";
import type { NoticeFacts, NoticeObject } from "../../../core/events.ts";
import { NOTICE_SEVERITY } from "../../../core/notice-severity.ts";
import type { NoticeDecision } from "./notice-decision.ts";
import type { ViolatingObject } from "./violating-objects.ts";

export interface CheckAlert {
	readonly decision: NoticeDecision;
	readonly checkId: string;
	readonly checkName: string;
	/** Of the check: the severity of `failing`. */
	readonly severity: FindingSeverity;
	readonly violations: number;
	/** Of a failing check: some of the objects that violate it. */
	readonly objects: readonly ViolatingObject[];
	readonly error: string | null;
	/** The state that the reader knows. */
	readonly before: "ok" | "failing" | "error";
}

interface Notice {
	readonly severity: "info" | "warning" | "error";
	readonly title: string;
	readonly body: string;
	readonly link: string;
	readonly facts: NoticeFacts;
}

const RANKS = ["info", "warning", "error"] as const;
const ORDER = ["failing", "error", "recovered", "closed"] as const;
const WORDS = {
	failing: "is failing",
	error: "could not be evaluated",
	recovered: "is ok again",
	closed: "is closed",
} as const;
const COUNTED = { failing: "failing", error: "not evaluated", recovered: "ok again", closed: "closed" } as const;
const LISTED = 10;

/** @param connection the connection's name; null: all connections of the check together */
export function buildNotice(alerts: readonly [CheckAlert, ...CheckAlert[]], connection: string | null): Notice {
	const sorted = [...alerts].sort(compareAlerts);
	const lines = sorted.slice(0, LISTED).flatMap((alert) => [getLine(alert), ...listObjectLines(alert)]);
	if (sorted.length > LISTED) lines.push(`and ${sorted.length - LISTED} more`);
	const [only] = alerts;
	return {
		severity: findHighestSeverity(alerts.map(getSeverity)),
		title: alerts.length === 1 ? formatTitleOfOne(only, connection) : formatTitleOfMany(sorted, connection),
		body: lines.join("\n"),
		link: alerts.length === 1 ? `/api/checks/${only.checkId}/` : "/api/checks/",
		facts: {
			event: "check_changed",
			objects: [
				...sorted.map((alert) => buildCheckFacts(alert, connection)),
				...sorted.flatMap(({ objects }) => objects.map((object) => buildObjectFacts(object, connection))),
			],
		},
	};
}

/** Sorts alerts by their decisions: failing checks first. */
export const compareAlerts = (a: CheckAlert, b: CheckAlert): number =>
	ORDER.indexOf(a.decision.kind) - ORDER.indexOf(b.decision.kind);

export const findHighestSeverity = (severities: readonly Notice["severity"][]): Notice["severity"] =>
	RANKS.findLast((rank) => severities.includes(rank)) ?? "info";

/** @param connection as in `buildNotice` */
export const buildCheckFacts = (
	{ checkId, checkName, decision: { kind }, before }: CheckAlert,
	connection: string | null,
): NoticeObject => ({
	kind: "check",
	id: checkId,
	name: checkName,
	connection,
	before,
	after: kind === "recovered" ? "ok" : kind,
});

const buildObjectFacts = ({ name, values, connection }: ViolatingObject, place: string | null): NoticeObject => ({
	kind: "managed_object",
	id: name,
	name,
	connection: connection ?? place,
	after: values === "" ? null : values,
});

/** The violating objects, indented below the line of their check. */
function listObjectLines({ objects, violations }: CheckAlert): string[] {
	const more = violations - objects.length;
	return [
		...objects.map(({ name, values }) => `- ${name}${values === "" ? "" : `: ${values}`}`),
		...(objects.length > 0 && more > 0 ? [`- and ${more} more`] : []),
	];
}

export function getSeverity({ decision, severity }: CheckAlert): Notice["severity"] {
	if (decision.kind === "failing") return NOTICE_SEVERITY[severity];
	return decision.kind === "error" ? "warning" : "info";
}

const formatTitleOfOne = ({ checkName, decision: { kind } }: CheckAlert, connection: string | null): string =>
	`Check "${checkName}" ${WORDS[kind]} ${connection === null ? "across its connections" : `on ${connection}`}`;

function formatTitleOfMany(alerts: readonly CheckAlert[], connection: string | null): string {
	const counts = ORDER.flatMap((kind) => {
		const count = alerts.filter(({ decision }) => decision.kind === kind).length;
		return count === 0 ? [] : `${count} ${COUNTED[kind]}`;
	});
	return `Checks ${connection === null ? "across connections" : `on ${connection}`}: ${counts.join(", ")}`;
}

const getLine = (alert: CheckAlert): string =>
	describeDecision(`"${alert.checkName}" ${WORDS[alert.decision.kind]}`, alert);

/** Describes an alert in one line with the name of its connection. */
export const describeAlert = (alert: CheckAlert, connection: string | null): string =>
	describeDecision(formatTitleOfOne(alert, connection), alert);

function describeDecision(title: string, { decision, violations, error }: CheckAlert): string {
	switch (decision.kind) {
		case "failing":
			return `${title}: ${violations} ${violations === 1 ? "violation" : "violations"}`;
		case "error":
			return `${title}: ${error ?? ""}`;
		case "closed":
			return `${title}: ${decision.reason}`;
		case "recovered":
			return title;
	}
}
