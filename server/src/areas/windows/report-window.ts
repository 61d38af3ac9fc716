/** The report of a change window, in every format. */
import { createHash } from "node:crypto";
import {
	type ReportFormat,
	type ReportSnapshot,
	WINDOW_LIMITS,
	type WindowReport,
	windowReport,
} from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller, Identity } from "../../core/caller.ts";
import type { Db, Tx } from "../../core/ports/store.ts";
import { formatTime, presentFinding } from "./present.ts";
import { presentEvidence } from "./present-evidence.ts";
import { findVisibleWindow, readWindow } from "./read-window.ts";
import { buildReport, hideConnections, writeJsonReport } from "./report/build-report.ts";
import { writeCsvReport } from "./report/write-csv.ts";
import { writeHtmlReport } from "./report/write-html.ts";
import { writeJunitReport } from "./report/write-junit.ts";
import { writeMarkdownReport } from "./report/write-markdown.ts";
import { writeTextReport } from "./report/write-text.ts";
import { listEvidence } from "./sql/evidence.ts";
import { listAllFindings } from "./sql/findings.ts";
import { listReportSnapshots } from "./sql/report.ts";
import { listRounds } from "./sql/rounds.ts";
import { findWindowRow, listEvents, type WindowRow } from "./sql/windows.ts";

const MEDIA_TYPES: Readonly<Record<ReportFormat, string>> = {
	html: "text/html; charset=utf-8",
	md: "text/markdown; charset=utf-8",
	json: "application/json; charset=utf-8",
	junit: "application/xml; charset=utf-8",
	csv: "text/csv; charset=utf-8",
	text: "text/plain; charset=utf-8",
};
const ENDINGS: Readonly<Record<ReportFormat, string>> = {
	html: "html",
	md: "md",
	json: "json",
	junit: "xml",
	csv: "csv",
	text: "txt",
};

const digestText = (text: string): string => createHash("sha256").update(text).digest("hex");

async function readReport(ctx: Context, db: Db, viewer: Identity, id: string): Promise<WindowReport> {
	const window = await readWindow(db, viewer, id);
	const findings = (await listAllFindings(db, id, window.connection_ids)).map(presentFinding);
	const stored = await listReportSnapshots(db, id, window.connection_ids);
	const rounds = await listRounds(db, id);
	const row = await findWindowRow(db, id);
	const start = (await listEvents(db, id)).findLast(({ event }) => event === "start");
	const snapshots: ReportSnapshot[] = window.connections.flatMap(({ connection_id, items }) =>
		items.flatMap(({ item, before, after }) =>
			(
				[
					["before", before.snapshot_id],
					["after", after.snapshot_id],
				] as const
			).flatMap(([side, snapshotId]) => {
				const found = snapshotId === null ? undefined : stored.get(snapshotId);
				if (snapshotId === null || found === undefined) return [];
				return { connection_id, item, side, snapshot_id: snapshotId, ...found };
			}),
		),
	);
	return buildReport({
		window,
		findings,
		snapshots,
		evidence: (await listEvidence(db, id, window.connection_ids)).map(presentEvidence),
		versions: {
			weft: ctx.version,
			class_model_before: rounds.findLast(({ phase }) => phase === "before")?.model ?? null,
			class_model_after: rounds.findLast(({ phase }) => phase === "after")?.model ?? null,
			queries: window.plan_items.flatMap((planned, item) => {
				const version = window.connections[0]?.items[item]?.query_version;
				const { name } = planned;
				return version == null ? [] : [{ item, name: typeof name === "string" ? name : "", version }];
			}),
		},
		limits: listLimits(row),
		course: {
			started_by: start?.user_name ?? null,
			rounds: rounds.map(({ round, phase, started_at, ended_at }) => ({
				round,
				phase,
				started_at: started_at.toISOString(),
				ended_at: formatTime(ended_at),
			})),
			command_exit_code: row?.command_exit_code ?? null,
		},
	});
}

/** The limits of the last verdict that were reached, as sentences. */
function listLimits(window: WindowRow | undefined): string[] {
	const total = window?.verdicts.at(-1)?.findings ?? 0;
	const { findings: most } = WINDOW_LIMITS;
	if (total <= most) return [];
	return [`${total} findings in all, of which the ${most} that weigh most are listed. The counts are exact.`];
}

/** Builds the JSON report of all connections, which is signed. */
export async function buildSignedReport(
	ctx: Context,
	tx: Tx,
	id: string,
): Promise<{ readonly text: string; readonly sha256: string }> {
	const text = writeJsonReport(await readReport(ctx, tx.db, EVERYTHING, id));
	return { text, sha256: digestText(text) };
}

/** An identity that sees all connections. */
const EVERYTHING: Identity = {
	userId: 0,
	username: "weft",
	sessionId: "",
	token: null,
	isSuperuser: true,
	isAdmin: true,
	permissions: new Set(),
	restriction: null,
};

function writeReport(report: WindowReport, format: ReportFormat, maxChars: number | undefined): string {
	switch (format) {
		case "json":
			return writeJsonReport(report);
		case "html":
			return writeHtmlReport(report);
		case "md":
			return writeMarkdownReport(report, maxChars);
		case "text":
			return writeTextReport(report, maxChars);
		case "csv":
			return writeCsvReport(report);
		case "junit":
			return writeJunitReport(report);
	}
}

/** @param visibleIds null for a reader who sees all connections */
function readSigned(text: string, visibleIds: readonly string[] | null): WindowReport {
	const report = windowReport.parse(JSON.parse(text));
	return visibleIds === null ? report : hideConnections(report, visibleIds);
}

export interface WrittenReport {
	readonly text: string;
	readonly type: string;
	readonly headers: Readonly<Record<string, string>>;
}

/** Reads the signed report, without connections that the caller does not see, else builds one. */
export async function readWindowReport(
	ctx: Context,
	caller: Caller,
	id: string,
	{ format, max_chars: maxChars }: { readonly format: ReportFormat; readonly max_chars?: number | undefined },
): Promise<WrittenReport> {
	const { db } = ctx.store;
	const window = await findVisibleWindow(db, caller, id);
	const { report: signed } = window;
	const isWhole = window.hidden_count === 0;
	const report =
		signed === null ? await readReport(ctx, db, caller, id) : readSigned(signed, isWhole ? null : window.visible_ids);
	const isSigned = signed !== null && isWhole && format === "json";
	const text = isSigned ? signed : writeReport(report, format, maxChars);
	const disposition = format === "html" ? "inline" : "attachment";
	return {
		text,
		type: MEDIA_TYPES[format],
		headers: {
			etag: `"${isSigned ? window.report_sha256 : digestText(text)}"`,
			"content-disposition": `${disposition}; filename="change-window.${ENDINGS[format]}"`,
		},
	};
}
