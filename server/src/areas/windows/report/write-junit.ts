/** Writes the report in the JUnit format: a suite for each fabric, a case for each item. */
import type { ReportConnection, ReportFinding, ReportItem, WindowReport } from "@weft/contracts";
import { formatJunit, type JunitCase, type JunitProblem } from "@weft/contracts/junit";
import { clipText } from "../../../core/text.ts";
import { isAtLeast, isProblem } from "../rules/findings.ts";
import { formatAttention, formatEvidence } from "./evidence-sections.ts";
import { describeFinding, replaceHidden } from "./sections.ts";

const BOUNDS = { attributes: 50, value: 500 } as const;
/** Upper bound of the failures of one case. A further one says how many were left out. */
const FAILURES_MAX = 500;

export function writeJunitReport(report: WindowReport): string {
	return formatJunit(
		report.connections.map((connection) => ({
			name: replaceHidden(connection.name),
			properties: listProperties(report, connection),
			cases: [
				...connection.items.map((item) => buildItemCase(report, connection, item)),
				...buildExpectationCase(report, connection),
			],
		})),
	);
}

function listProperties(report: WindowReport, connection: ReportConnection) {
	const { window, verdict, snapshots } = report;
	const own = snapshots.filter(({ connection_id: id }) => id === connection.connection_id);
	return {
		...(window.ticket === null ? {} : { ticket: replaceHidden(window.ticket.number), ticket_url: window.ticket.url }),
		window: window.id,
		title: replaceHidden(window.title),
		verdict: verdict ?? "not judged",
		connection_verdict: connection.verdict ?? "not judged",
		snapshots: own.map(({ snapshot_id: id }) => id).join(" "),
		...listEvidenceProperties(report, connection),
	};
}

/** Upper bound of the characters of a property. The JSON report has the whole text. */
const PROPERTY_MAX = 4_000;

/** Lists the results of the pre-upgrade script, numbered from the second run on. */
function listEvidenceProperties({ evidence = [] }: WindowReport, { connection_id: id }: ReportConnection) {
	const own = evidence.filter(({ connection_id }) => connection_id === id);
	return Object.fromEntries(
		own.flatMap((set, i) => {
			const name = i === 0 ? "preupgrade_script" : `preupgrade_script_${i + 1}`;
			const attention = formatAttention(set);
			return [
				[name, replaceHidden(formatEvidence(set))],
				...(attention === "" ? [] : [[`${name}_checks`, replaceHidden(clipText(attention, PROPERTY_MAX))]]),
			];
		}),
	);
}

function buildItemCase(
	report: WindowReport,
	{ connection_id: connectionId }: ReportConnection,
	{ item, kind, name, verdict, when }: ReportItem,
): JunitCase {
	const one = { name: replaceHidden(name), classname: kind };
	const own = report.findings.filter((finding) => finding.connection_id === connectionId && finding.item === item);
	if (when?.includes("after") === false) return { ...one, skipped: getGateReason(report, connectionId, item) };
	if (verdict === "inconclusive") {
		const reasons = own.filter((finding) => finding.class === "inconclusive").map(({ detail }) => detail);
		const message = reasons.join(" ") || "This item cannot be judged.";
		return { ...one, error: { type: "inconclusive", message: replaceHidden(message), text: replaceHidden(message) } };
	}
	if (verdict === null) return { ...one, skipped: "The window is not judged." };
	return { ...one, failures: listFailures(report, own) };
}

/** Returns the reason why a check before the work was skipped or failed; null if it held. */
function getGateReason({ window: { gate } }: WindowReport, connectionId: string, item: number): string | null {
	if (gate.before === "off") return "The gate is off: the check was not evaluated before the work.";
	const reason = gate.reasons.find((one) => one.item === item && (one.connection_id ?? connectionId) === connectionId);
	return reason === undefined ? null : `The gate did not pass: ${reason.detail}`;
}

/** Builds the case of expectations that belong to no item and did not happen; none without them. */
function buildExpectationCase(report: WindowReport, { connection_id: connectionId }: ReportConnection): JunitCase[] {
	const own = report.findings.filter((finding) => finding.connection_id === connectionId && finding.item === null);
	if (own.length === 0) return [];
	return [{ name: "Expected changes", classname: "query", failures: listFailures(report, own) }];
}

function listFailures({ window }: WindowReport, findings: readonly ReportFinding[]): JunitProblem[] {
	const failing = findings.filter((finding) => isProblem(finding) && isAtLeast(finding.severity, window.gate.fail_on));
	const listed = failing.slice(0, FAILURES_MAX).map((finding): JunitProblem => {
		const { severity, object, change, values, who, remark } = describeFinding(finding, BOUNDS);
		const lines = [`Severity: ${severity}`, ...values, who, remark].filter((line) => line !== "");
		const subject = [object, change].filter((part) => part !== "").join(" ");
		return {
			type: finding.class,
			message: replaceHidden(`${finding.class}: ${subject || finding.detail}`),
			text: lines.map(replaceHidden).join("\n"),
		};
	});
	const more = failing.length - listed.length;
	return more > 0 ? [...listed, { type: "more", message: `${more} more in the JSON report`, text: "" }] : listed;
}
