/** Builds the report of a change window, from which every format is written. */
import {
	CHECK_PHASES,
	type ChangeWindow,
	COMPARE_MODES,
	type ReportConnection,
	type ReportFinding,
	type ReportItem,
	type ReportSnapshot,
	type ReportVersions,
	type WindowConnection,
	type WindowEvidence,
	type WindowFinding,
	type WindowReport,
} from "@weft/contracts";
import { compareFindings } from "../rules/findings.ts";

/** Version of the rules by which findings and verdicts are computed. */
const RULES_VERSION = 1;

export interface ReportSource {
	/** The window without the connections that are hidden from the reader. */
	readonly window: ChangeWindow;
	/** Findings of the last verdict on these connections. */
	readonly findings: readonly WindowFinding[];
	readonly snapshots: readonly ReportSnapshot[];
	/** Results of the pre-upgrade script on these connections. */
	readonly evidence: readonly WindowEvidence[];
	readonly versions: Omit<ReportVersions, "rules">;
	/** Limits that were reached, as sentences. */
	readonly limits: readonly string[];
	readonly course: Pick<WindowReport["window"], "started_by" | "rounds" | "command_exit_code">;
}

export function buildReport(source: ReportSource): WindowReport {
	const { window, findings, snapshots, evidence, versions } = source;
	const names = new Map(window.connections.map(({ connection_id: id, name }) => [id, name]));
	const items = window.plan_items.map(describePlanItem);
	const ordered = [...findings].sort(compareFindings).map(
		(finding): ReportFinding => ({
			...finding,
			connection: names.get(finding.connection_id) ?? finding.connection_id,
			item_name: finding.item === null ? null : (items[finding.item]?.name ?? null),
		}),
	);
	const connections = window.connections.map((connection) => buildConnection(connection, items));
	return {
		verdict: window.verdict,
		reasons: [...window.verdict_reasons],
		window: describeWindow(source),
		connections,
		findings: ordered.filter((finding) => finding.class !== "expected"),
		expected: ordered.filter((finding) => finding.class === "expected"),
		ignored: sumIgnored(connections),
		snapshots: [...snapshots],
		evidence: [...evidence],
		versions: { ...versions, rules: RULES_VERSION },
		exit_code: getExitCode(window.verdict),
	};
}

/** Returns the exit code of the command line. */
function getExitCode(verdict: WindowReport["verdict"]): WindowReport["exit_code"] {
	switch (verdict) {
		case "passed":
		case "passed_with_warnings":
			return 0;
		case "failed":
			return 1;
		case "inconclusive":
		case null:
			return 5;
	}
}

type PlanItemNames = Pick<ReportItem, "kind" | "name" | "compare" | "when">;

function describePlanItem(item: Readonly<Record<string, unknown>>, index: number): PlanItemNames {
	const name = typeof item.name === "string" ? item.name : `Item ${index + 1}`;
	if (item.check === undefined)
		return { kind: "query", name, compare: COMPARE_MODES.find((mode) => mode === item.compare) ?? "exact", when: null };
	const { when } = item;
	return {
		kind: "check",
		name,
		compare: null,
		when: CHECK_PHASES.filter((phase) => (Array.isArray(when) ? when.includes(phase) : true)),
	};
}

function buildConnection(connection: WindowConnection, items: readonly PlanItemNames[]): ReportConnection {
	const { connection_id, name, verdict, verdict_reasons: reasons, release_before, release_after } = connection;
	return {
		connection_id,
		name,
		verdict,
		reasons: [...reasons],
		release_before,
		release_after,
		items: connection.items.map((one) => ({
			item: one.item,
			...(items[one.item] ?? describePlanItem({}, one.item)),
			verdict: one.verdict,
			settled: one.settled,
			query_version: one.query_version,
			counts: one.counts,
			error_before: one.before.error,
			error_after: one.after.error,
		})),
	};
}

function describeWindow({ window, limits, course }: ReportSource): WindowReport["window"] {
	return {
		id: window.id,
		title: window.title,
		state: window.state,
		verdict_line: window.verdict_line,
		changed: window.changed,
		ticket: window.ticket,
		plan: { id: window.plan, name: window.plan_name, revision: window.plan_revision },
		requested_by: window.created_by?.username ?? null,
		approved_by: window.approved_by,
		override: window.override,
		...course,
		signed_by: window.signed_by,
		sign_comment: window.sign_comment,
		implementers: [...window.implementers],
		starts_at: window.starts_at,
		ends_at: window.ends_at,
		created_at: window.created_at,
		approved_at: window.approved_at,
		opened_at: window.opened_at,
		finished_at: window.finished_at,
		signed_at: window.signed_at,
		phases: window.phases,
		gate: {
			before: window.plan_gate.before,
			fail_on: window.plan_gate.fail_on,
			reasons: window.gate === null ? [] : [...window.gate.reasons],
		},
		verdicts: [...window.verdicts],
		executions: [...window.executions],
		hidden_connections: window.hidden_count,
		limits: [...limits],
	};
}

function sumIgnored(connections: readonly ReportConnection[]): WindowReport["ignored"] {
	const items = connections.flatMap(({ connection_id, items: own }) =>
		own.flatMap(({ item, counts: { ignored } }) =>
			ignored.volatile + ignored.rules === 0 ? [] : [{ connection_id, item, ...ignored }],
		),
	);
	return {
		volatile: items.reduce((sum, { volatile }) => sum + volatile, 0),
		rules: items.reduce((sum, { rules }) => sum + rules, 0),
		items,
	};
}

/** Leaves out what a signed report says of the connections that a reader does not see. */
export function hideConnections(report: WindowReport, visibleIds: readonly string[]): WindowReport {
	const isSeen = ({ connection_id: id }: { readonly connection_id: string | null }) =>
		id === null || visibleIds.includes(id);
	const connections = report.connections.filter(isSeen);
	const { window } = report;
	return {
		...report,
		window: {
			...window,
			gate: { ...window.gate, reasons: window.gate.reasons.filter(isSeen) },
			hidden_connections: report.connections.length - connections.length,
		},
		connections,
		findings: report.findings.filter(isSeen),
		expected: report.expected.filter(isSeen),
		ignored: sumIgnored(connections),
		snapshots: report.snapshots.filter(isSeen),
		...(report.evidence && { evidence: report.evidence.filter(isSeen) }),
	};
}

/** Writes the whole report. Signing a window stores the digest of this text. */
export const writeJsonReport = (report: WindowReport): string => `${JSON.stringify(report, null, 2)}\n`;
