/** The message at the end of a hold: the held alerts whose problems are not over. */
import type { HoldKind, Severity } from "@weft/contracts";
import type { NoticeFacts } from "../../../core/events.ts";
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

/** A held alert of a schedule. */
export interface HeldMessage {
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

function formatCounts(alerts: readonly HeldAlert[], messages: readonly HeldMessage[]): string {
	const count = (kind: NoticeDecision["kind"]) => alerts.filter(({ alert }) => alert.decision.kind === kind).length;
	const parts = [
		[count("failing"), "check is failing", "checks are failing"],
		[count("error"), "check could not be evaluated", "checks could not be evaluated"],
		[count("recovered"), "check is ok again", "checks are ok again"],
		[count("closed"), "check is closed", "checks are closed"],
		[messages.length, "alert of schedules", "alerts of schedules"],
	] as const;
	return parts.flatMap(([number, one, many]) => (number === 0 ? [] : [formatCount(number, one, many)])).join(", ");
}

export function buildSummary(
	hold: { readonly kind: HoldKind; readonly title: string },
	alerts: readonly HeldAlert[],
	messages: readonly HeldMessage[],
): Summary {
	const sorted = [...alerts].sort((a, b) => compareAlerts(a.alert, b.alert));
	const lines = [
		...sorted.map(({ alert, connection }) => describeAlert(alert, connection)),
		...messages.map(({ title }) => title),
	];
	if (lines.length > LISTED) lines.splice(LISTED, lines.length, `and ${lines.length - LISTED} more`);
	return {
		severity: findHighestSeverity([
			...alerts.map(({ alert }) => getSeverity(alert)),
			...messages.map(({ severity }) => severity),
		]),
		title: `${HOLD_NAMES[hold.kind]} "${hold.title}" is over: ${formatCounts(alerts, messages)}`,
		body: lines.join("\n"),
		link: "/api/checks/",
		facts: {
			event: "maintenance_ended",
			objects: sorted.map(({ alert, connection }) => buildCheckFacts(alert, connection)),
		},
	};
}
