/** The message at the end of a maintenance: the alerts that it held and that still hold. */
import type { Severity } from "@weft/contracts";
import type { NoticeFacts } from "../../../core/events.ts";
import { type CheckAlert, describeAlert, getSeverity } from "./alerts.ts";
import type { NoticeDecision } from "./notice-decision.ts";

export interface HeldAlert {
	readonly alert: CheckAlert;
	/** Null: all connections of the check together. */
	readonly connection: string | null;
}

/** An alert of a schedule. */
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

const RANKS = ["info", "warning", "error"] as const;
const ORDER: readonly NoticeDecision["kind"][] = ["failing", "error", "recovered", "closed"];
const LISTED = 20;

const countText = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

function formatCounts(alerts: readonly HeldAlert[], messages: readonly HeldMessage[]): string {
	const count = (kind: NoticeDecision["kind"]) => alerts.filter(({ alert }) => alert.decision.kind === kind).length;
	const parts = [
		[count("failing"), "check is failing", "checks are failing"],
		[count("error"), "check could not be evaluated", "checks could not be evaluated"],
		[count("recovered"), "check is ok again", "checks are ok again"],
		[count("closed"), "check is closed", "checks are closed"],
		[messages.length, "alert of schedules", "alerts of schedules"],
	] as const;
	return parts.flatMap(([number, one, many]) => (number === 0 ? [] : [countText(number, one, many)])).join(", ");
}

/** @param maintenance the title of its entry */
export function buildSummary(
	maintenance: string,
	alerts: readonly HeldAlert[],
	messages: readonly HeldMessage[],
): Summary {
	const sorted = [...alerts].sort(
		(a, b) => ORDER.indexOf(a.alert.decision.kind) - ORDER.indexOf(b.alert.decision.kind),
	);
	const lines = [
		...sorted.map(({ alert, connection }) => describeAlert(alert, connection)),
		...messages.map(({ title }) => title),
	];
	const ranks = [...alerts.map(({ alert }) => getSeverity(alert)), ...messages.map(({ severity }) => severity)];
	return {
		severity: RANKS[Math.max(0, ...ranks.map((one) => RANKS.indexOf(one)))] ?? "info",
		title: `Maintenance "${maintenance}" is over: ${formatCounts(alerts, messages)}`,
		body: [...lines.slice(0, LISTED), ...(lines.length > LISTED ? [`and ${lines.length - LISTED} more`] : [])].join(
			"\n",
		),
		link: "/api/checks/",
		facts: {
			event: "maintenance_ended",
			objects: sorted.map(({ alert: { checkId, checkName, decision, before }, connection }) => ({
				kind: "check",
				id: checkId,
				name: checkName,
				connection,
				before,
				after: decision.kind === "recovered" ? "ok" : decision.kind,
			})),
		},
	};
}
