/** The message at the end of a hold: the held alerts whose problems are not over. */
import type { HoldKind, Severity } from "@weft/contracts";
import type { NoticeFacts, NoticeObject } from "../../../core/events.ts";
import {
	buildCheckFacts,
	type CheckAlert,
	compareAlerts,
	describeAlert,
	findHighestSeverity,
	getSeverity,
} from "./alerts.ts";
import type { NoticeDecision } from "./notice-decision.ts";

export interface HeldAlert {
	readonly alert: CheckAlert;
	/** Name of the connection; null for all connections of the check together. */
	readonly connection: string | null;
}

/** A held alert of a run of a schedule, or of the drift that a run found. */
export interface HeldMessage {
	readonly kind: "schedule" | "drift";
	readonly severity: Severity;
	readonly title: string;
}

interface Summary {
	readonly severity: Severity;
	readonly title: string;
	readonly body: string;
	readonly link: string;
	readonly facts: NoticeFacts;
}

const HOLD_NAMES: Readonly<Record<HoldKind, string>> = { maintenance: "Maintenance", change_window: "Change window" };
/** Upper bound of the alerts that a message lists. */
const LISTED = 20;

const formatCount = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** Counts held alerts by their kind. Empty if there are none. */
export function formatHeldCounts(alerts: readonly HeldAlert[], messages: readonly HeldMessage[]): string {
	const count = (kind: NoticeDecision["kind"]) => alerts.filter(({ alert }) => alert.decision.kind === kind).length;
	const countMessages = (kind: HeldMessage["kind"]) => messages.filter((one) => one.kind === kind).length;
	const parts = [
		[count("failing"), "check is failing", "checks are failing"],
		[count("error"), "check could not be evaluated", "checks could not be evaluated"],
		[count("recovered"), "check is ok again", "checks are ok again"],
		[count("closed"), "check is closed", "checks are closed"],
		[countMessages("schedule"), "alert of schedules", "alerts of schedules"],
		[countMessages("drift"), "alert of drift", "alerts of drift"],
	] as const;
	return parts.flatMap(([number, one, many]) => (number === 0 ? [] : [formatCount(number, one, many)])).join(", ");
}

const sortAlerts = (alerts: readonly HeldAlert[]): HeldAlert[] =>
	[...alerts].sort((a, b) => compareAlerts(a.alert, b.alert));

/** A line for each held alert, those of checks first, the most important one first. */
export const listHeldLines = (alerts: readonly HeldAlert[], messages: readonly HeldMessage[]): string[] => [
	...sortAlerts(alerts).map(({ alert, connection }) => describeAlert(alert, connection)),
	...messages.map(({ title }) => title),
];

/** The checks of held alerts as facts of a notification, the most important one first. */
export const listHeldObjects = (alerts: readonly HeldAlert[]): NoticeObject[] =>
	sortAlerts(alerts).map(({ alert, connection }) => buildCheckFacts(alert, connection));

/** Returns `info` if there are no alerts. */
export const findHeldSeverity = (
	alerts: readonly HeldAlert[],
	messages: readonly HeldMessage[],
	other: Severity = "info",
): Severity =>
	findHighestSeverity([
		other,
		...alerts.map(({ alert }) => getSeverity(alert)),
		...messages.map(({ severity }) => severity),
	]);

export function buildSummary(
	hold: { readonly kind: HoldKind; readonly title: string },
	alerts: readonly HeldAlert[],
	messages: readonly HeldMessage[],
): Summary {
	const lines = listHeldLines(alerts, messages);
	if (lines.length > LISTED) lines.splice(LISTED, lines.length, `and ${lines.length - LISTED} more`);
	return {
		severity: findHeldSeverity(alerts, messages),
		title: `${HOLD_NAMES[hold.kind]} "${hold.title}" is over: ${formatHeldCounts(alerts, messages)}`,
		body: lines.join("\n"),
		link: "/api/checks/",
		facts: {
			event: "maintenance_ended",
			objects: listHeldObjects(alerts),
		},
	};
}
