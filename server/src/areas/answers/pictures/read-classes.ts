/** The classes of a picture: their snapshots, and the objects that these have. */
import { PICTURE_LIMITS, type PictureClass } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { AppError } from "../../../core/errors.ts";
import { countPlaces, selectPlaces } from "../../history/rules/compare.ts";
import { type RawContent, readContent } from "../../queries/flow/index.ts";
import { type Coverage, findCoverage } from "./rules/coverage.ts";
import type { PictureObject } from "./rules/drawing.ts";
import { type Choice, chooseSources } from "./rules/sources.ts";
import { listCandidates, listKeepingQueries, type SnapshotCandidate } from "./sql.ts";

/** Upper bound of the histories, and of the queries, that are read. */
const CANDIDATES_MAX = 500;
/** Bytes of rows that one page reads. */
const PAGE_BYTES = 512 * 1024;
/** Upper bound of the objects of one page. */
const PAGE_OBJECTS = 5_000;

interface Source extends SnapshotCandidate {
	readonly coverage: Coverage;
	readonly seenAt: Date;
}

export interface ReadClasses {
	readonly classes: PictureClass[];
	readonly objects: PictureObject[];
	/** Ids of the histories of the snapshots. */
	readonly historyIds: string[];
	/** Whether a limit left out objects. */
	readonly hasMore: boolean;
}

/** @param of the classes of a connection; `at` is null for the latest snapshots */
export async function readClasses(
	ctx: Context,
	caller: Caller,
	of: { connectionId: string; at: Date | null; classes: readonly string[] },
	signal: AbortSignal,
): Promise<ReadClasses> {
	const candidates = await listCandidates(ctx.store.db, caller, { ...of, limit: CANDIDATES_MAX });
	const sources = candidates.map(
		(candidate): Source => ({ ...candidate, coverage: readCoverage(candidate), seenAt: candidate.seen_at }),
	);
	const choices = chooseSources(of.classes, sources);
	const counts = new Map<string, number>();
	const objects = new Map<string, PictureObject>();
	let hasMore = false;
	for (const [source, classes] of groupBySource(choices)) {
		for await (const object of readObjects(ctx, source, classes, signal)) {
			if (objects.size >= PICTURE_LIMITS.objects) {
				hasMore = true;
				break;
			}
			if (!objects.has(object.dn)) counts.set(object.className, (counts.get(object.className) ?? 0) + 1);
			objects.set(object.dn, object);
		}
	}
	const keeping = await findKeepingQueries(ctx, caller, choices);
	return {
		classes: choices.map(({ className, source, reason }) => ({
			class_name: className,
			status: source === null ? "missing" : reason === null ? "complete" : "partial",
			reason,
			source: source && {
				saved_query: { id: source.saved_query_id, name: source.query_name },
				snapshot_id: source.snapshot_id,
				taken_at: source.taken_at.toISOString(),
				seen_at: source.seen_at.toISOString(),
				objects: counts.get(className) ?? 0,
			},
			saved_query: keeping.get(className) ?? null,
		})),
		objects: [...objects.values()],
		historyIds: [...new Set(choices.flatMap(({ source }) => source?.history_id ?? []))],
		hasMore,
	};
}

/** Finds the classes that the query reads. Rows that a client sent are never complete. */
function readCoverage(row: Pick<SnapshotCandidate, "origin"> & RawContent): Coverage {
	const coverage = readQueryCoverage(row);
	return row.origin === "run"
		? coverage
		: new Map([...coverage].map(([className, reason]) => [className, reason ?? "sent"]));
}

/** Returns an empty coverage for a canvas that is no longer valid. */
function readQueryCoverage(raw: RawContent): Coverage {
	try {
		const { flow, postProcessors } = readContent(raw);
		return findCoverage(flow, postProcessors);
	} catch (error) {
		if (error instanceof AppError) return new Map();
		throw error;
	}
}

function groupBySource(choices: readonly Choice<Source>[]): Map<Source, string[]> {
	const groups = new Map<Source, string[]>();
	for (const { source, className } of choices)
		if (source !== null) groups.set(source, [...(groups.get(source) ?? []), className]);
	return groups;
}

/** Reads the objects of some classes in a snapshot; none if the snapshot no longer exists. */
async function* readObjects(
	ctx: Context,
	source: SnapshotCandidate,
	classes: readonly string[],
	signal: AbortSignal,
): AsyncGenerator<PictureObject, void> {
	const { threads } = ctx.areas.history;
	const options = { size: source.bytes, signal };
	const task = { from: null, to: source.snapshot_id, pageBytes: PAGE_BYTES, classes };
	const plan = await threads.changedPlan(task, options);
	if (plan === null) return;
	const total = countPlaces(plan.places);
	for (let at = 0; at < total; ) {
		const places = selectPlaces(plan.places, at, PAGE_OBJECTS);
		const page = await threads.changedObjects({ ...plan, places, pageBytes: PAGE_BYTES }, options);
		if (page.length === 0) return;
		for (const { dn, className, attributes } of page)
			if (attributes !== null) yield { dn, className, attributes, isGone: false };
		at += page.length;
	}
}

/** Finds for each incomplete class a visible query that reads all of its objects. */
async function findKeepingQueries(
	ctx: Context,
	caller: Caller,
	choices: readonly Choice<Source>[],
): Promise<Map<string, { id: string; name: string }>> {
	const found = new Map<string, { id: string; name: string }>();
	const wanted = choices.filter(({ source, reason }) => source === null || reason !== null);
	if (wanted.length === 0) return found;
	const classes = wanted.map(({ className }) => className);
	for (const row of await listKeepingQueries(ctx.store.db, caller, { classes, limit: CANDIDATES_MAX })) {
		const coverage = readQueryCoverage(row);
		for (const name of classes)
			if (coverage.get(name) === null && !found.has(name)) found.set(name, { id: row.id, name: row.name });
	}
	return found;
}
