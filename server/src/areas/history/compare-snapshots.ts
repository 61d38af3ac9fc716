/**
 * Compares two snapshots: planned from the index of their objects, then written page by page from
 * the rows that changed.
 */
import type { AttributionSummary, CompareBody, CompareFormat, DriftRules } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Identity } from "../../core/caller.ts";
import { buildFieldError, buildNotFoundError } from "../../core/errors.ts";
import { readDriftRules } from "../queries/saved/visible-query.ts";
import { findAttributions } from "./attribute-changes.ts";
import { findSides } from "./comparison-sides.ts";
import { presentCompared, presentReportedSide } from "./present.ts";
import { viewAsBuffer } from "./rules/bytes.ts";
import { MODIFIED } from "./rules/compare.ts";
import { NOTHING_OPEN, openList } from "./rules/entries.ts";
import type { IgnoreSpec } from "./rules/ignore.ts";
import { compileNumberBeginnings } from "./rules/name-match.ts";
import { formatCsvHead } from "./rules/report-csv.ts";
import { formatHtmlHead, formatHtmlTail } from "./rules/report-html.ts";
import type { SnapshotRow } from "./sql/snapshots.ts";
import type { CompareTask } from "./workers/compare-plan.ts";
import type { Compared, Page } from "./workers/read.ts";

export interface CompareInput {
	readonly body: CompareBody;
	readonly format: CompareFormat;
	/** Whether the drift rules of the later snapshot's query apply. */
	readonly withRules: boolean;
	/** Whether the controller is asked who changed the objects. */
	readonly withAttribution: boolean;
}

/** Approximate bytes of rows that the entries of one page show. */
const PAGE_BYTES = 16 * 1024 * 1024;

const STYLES = { json: "lists", ndjson: "lines", csv: "csv", html: "html", summary: "none" } as const;

type How = Pick<CompareTask, "style" | "ignore" | "beginnings" | "attribution">;

/** Yields all pages in order. */
async function* streamPages(
	ctx: Context,
	{ plan: { places }, segments, first }: Compared,
	how: How,
	options: { size: number; signal: AbortSignal },
): AsyncGenerator<Page, void> {
	let page = first;
	yield page;
	while (page.next !== null) {
		const from = { places, at: page.next, open: page.open };
		page = await ctx.areas.history.threads.page({ ...from, ...how, segments, pageBytes: PAGE_BYTES }, options);
		yield page;
	}
}

async function requireDriftRules(ctx: Context, { saved_query_id: id }: SnapshotRow): Promise<DriftRules> {
	const rules = id === null ? null : await readDriftRules(ctx.store.db, id);
	if (rules === null) throw buildFieldError("rules", "The later snapshot is not of a saved query.");
	return rules;
}

/** Builds the beginnings from the names of the loaded model, or from the built-in ones. */
export async function buildNumberBeginnings(ctx: Context): Promise<string[]> {
	return compileNumberBeginnings((await ctx.classModel())?.names() ?? null);
}

/** Yields the comparison as text. Throws 400 or 404 if there is nothing to compare. */
export async function* compareSnapshots(
	ctx: Context,
	identity: Identity,
	input: CompareInput,
	signal: AbortSignal,
): AsyncGenerator<Buffer | string, void> {
	const { from, to } = await findSides(ctx, identity, input.body);
	const rules = input.withRules ? await requireDriftRules(ctx, to) : null;
	const byName = input.body.match === "name";
	const ignore = {
		names: input.body.ignore,
		volatile: input.body.ignore_volatile,
		identity: input.body.ignore_identity || byName,
		rules,
	};
	const beginnings = byName ? await buildNumberBeginnings(ctx) : null;
	const asked = { from, to, ignore, beginnings, isAsked: input.withAttribution };
	const attributing = await findAttributions(ctx, identity, asked, signal);
	const how: How = {
		style: STYLES[input.format],
		ignore,
		beginnings,
		attribution: attributing?.attribution ?? null,
	};
	const options = { size: Math.max(from.result_size_bytes, to.result_size_bytes), signal };
	const compared =
		from.result_hash === to.result_hash
			? NO_CHANGES
			: await ctx.areas.history.threads.compare({ from: from.id, to: to.id, ...how, pageBytes: PAGE_BYTES }, options);
	if (compared === null) throw buildNotFoundError();
	const attribution = attributing?.summary ?? null;
	yield* writeAnswer(
		{ from, to, ignore, compared, attribution },
		input.format,
		streamPages(ctx, compared, how, options),
	);
}

interface Answer {
	readonly from: SnapshotRow;
	readonly to: SnapshotRow;
	readonly ignore: IgnoreSpec;
	readonly compared: Compared;
	/** Null if it was not looked up who changed what. */
	readonly attribution: AttributionSummary | null;
}

/** Writes the pages and the text around them. */
async function* writeAnswer(
	{ from, to, ignore, compared, attribution }: Answer,
	format: CompareFormat,
	pages: AsyncGenerator<Page, void>,
): AsyncGenerator<Buffer | string, void> {
	const { plan, looseDiffer } = compared;
	const identical = from.result_hash === to.result_hash;
	const differ = from.loose_count !== to.loose_count || looseDiffer;
	const skipped = { from: from.loose_count, to: to.loose_count, differ };
	const ignored = {
		attributes: [...ignore.names, ...(ignore.rules?.ignore ?? [])],
		volatile: ignore.volatile || ignore.rules?.ignore_volatile === true,
		identity: ignore.identity,
		objects: compared.ignored,
	};
	const sides = { snapshot_from: presentCompared(from), snapshot_to: presentCompared(to), identical };
	const looked = attribution === null ? {} : { attribution };
	let { open } = compared.first;
	if (format === "summary") {
		yield JSON.stringify({ ...sides, total_changes: plan.total, summary: plan.summary, skipped, ignored, ...looked });
		return;
	}
	// Even an empty piece starts the response.
	if (format === "ndjson") yield "";
	else if (format === "csv") yield formatCsvHead(attribution !== null);
	else if (format === "json") yield `${JSON.stringify(sides).slice(0, -1)},"diff":{`;
	else
		yield formatHtmlHead({
			from: presentReportedSide(from),
			to: presentReportedSide(to),
			identical,
			plan,
			skipped,
			ignored,
		});
	for await (const page of pages) {
		yield viewAsBuffer(page.bytes);
		({ open } = page);
	}
	if (format === "html") yield formatHtmlTail(open.kind);
	if (format !== "json") return;
	const tail = JSON.stringify({ summary: plan.summary, skipped, ignored, ...looked });
	yield `${openList(open, MODIFIED)}],"total_changes":${plan.total}},${tail.slice(1)}`;
}

/** The comparison of snapshots with equal hashes. */
const NO_CHANGES: Compared = {
	plan: {
		added: 0,
		deleted: 0,
		modified: 0,
		total: 0,
		summary: {},
		places: new Int32Array(0),
		classNumbers: new Int32Array(0),
		classes: [],
	},
	ignored: 0,
	segments: { from: "", to: "" },
	looseDiffer: false,
	first: { bytes: new Uint8Array(0), open: NOTHING_OPEN, next: null },
};
