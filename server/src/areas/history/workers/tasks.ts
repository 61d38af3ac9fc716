/**
 * The Time Machine's heavy work as tasks that read the store themselves. A thread runs them for
 * large snapshots, the process itself for small ones. Only input and result pass between threads.
 */
import type { DriftRules } from "@weft/contracts";
import type { Db } from "../../../core/ports/store.ts";
import { makeDetachable } from "../../../core/workers/serve.ts";
import { type CaptureOutput, type CaptureTask, parseCapture } from "./capture.ts";
import { type ChangePageTask, type ChangePlanTask, planChanges, readChangePage } from "./change-page.ts";
import { type ChangedPlan, type ChangedTask, planChangedObjects, readChangedObjects } from "./changed-objects.ts";
import type { CompareTask, PageTask } from "./compare-plan.ts";
import { readStoredDrift } from "./drift.ts";
import { type EraseTask, planErasure } from "./erase.ts";
import { createPackSource } from "./pack-source.ts";
import {
	type ChangesTask,
	type Compared,
	compareSnapshots,
	listChanges,
	readCompletion,
	readText,
	retryIfGone,
	writePage,
} from "./read.ts";
import { createSegmentSource } from "./segment-source.ts";
import { computeSeries, type SeriesTask } from "./series.ts";
import { type BlameTask, readBlame, readTimelines, type TimelineTask } from "./trace.ts";
import { listValuedChanges, type ValuedChangesTask } from "./valued-changes.ts";
import { verifySegment } from "./verify.ts";

export type TimeMachineTasks = ReturnType<typeof createTimeMachineTasks>;

/** @param db is only read: the caller stores what the answers contain */
export function createTimeMachineTasks(db: Db) {
	const packs = createPackSource({ db });
	const segments = createSegmentSource({ db });
	const reading = { db, packs, segments };

	return {
		/** Parses a capture against its history and computes its stored form. */
		async capture(task: CaptureTask): Promise<{ value: CaptureOutput; transfer: ArrayBuffer[] }> {
			const output = await parseCapture({ db, packs, segments }, task);
			if (!output.ok || typeof output.result === "string" || output.result.content === null)
				return { value: output, transfer: [] };
			const { bytes: text, memory } = makeDetachable(output.result.content.text);
			const result = { ...output.result, content: { ...output.result.content, text } };
			return { value: { ...output, result }, transfer: [memory] };
		},

		/** The drift between two snapshots; null if one of them no longer exists. */
		async drift(task: { from: string; to: string; rules: DriftRules }) {
			return { value: await readStoredDrift({ packs, segments }, task) };
		},

		/** The text of a snapshot; null if it no longer exists. */
		async text(task: { snapshotId: string; bytes: number }): Promise<{
			value: Uint8Array | null;
			transfer: ArrayBuffer[];
		}> {
			const text = await readText(reading, task);
			if (text === null) return { value: null, transfer: [] };
			const { bytes, memory } = makeDetachable(text);
			return { value: bytes, transfer: [memory] };
		},

		/**
		 * The comparison of two snapshots with its first page; null if one of them no longer exists.
		 */
		async compare(task: CompareTask): Promise<{ value: Compared | null; transfer: ArrayBuffer[] }> {
			const compared = await compareSnapshots(reading, task);
			if (compared === null) return { value: null, transfer: [] };
			const { bytes, memory } = makeDetachable(compared.first.bytes);
			return { value: { ...compared, first: { ...compared.first, bytes } }, transfer: [memory] };
		},

		/** The objects that a comparison shows; null if one of the snapshots no longer exists. */
		async changes(task: ChangesTask) {
			return { value: await listChanges(reading, task) };
		},

		/** The changes between two snapshots; null if one of them no longer exists. */
		async changePlan(task: ChangePlanTask) {
			return { value: await planChanges(reading, task) };
		},

		/** Some of those changes, with their values. */
		async changePage(task: ChangePageTask) {
			return { value: await readChangePage(reading, task) };
		},

		/** Changes with values, and counts of others; null if a snapshot no longer exists. */
		async valuedChanges(task: ValuedChangesTask) {
			return { value: await listValuedChanges(reading, task) };
		},

		/** Which objects differ from an earlier snapshot; null if a snapshot no longer exists. */
		async changedPlan(task: ChangedTask) {
			return { value: await planChangedObjects(reading, task) };
		},

		/** Some of those objects, with their attributes. */
		async changedObjects(task: ChangedPlan & { pageBytes: number }) {
			return { value: await readChangedObjects(reading, task) };
		},

		/** Another page of a comparison. */
		async page(task: PageTask) {
			const page = await retryIfGone(() => writePage(reading, task));
			const { bytes, memory } = makeDetachable(page.bytes);
			return { value: { ...page, bytes }, transfer: [memory] };
		},

		/** The timeline of each dn as JSON text. */
		async timelines(task: TimelineTask) {
			const { texts, count } = await readTimelines(reading, task);
			const own = texts.map(makeDetachable);
			return { value: { texts: own.map(({ bytes }) => bytes), count }, transfer: own.map(({ memory }) => memory) };
		},

		/** Which snapshot last changed each attribute of an object, as JSON text. */
		async blame(task: BlameTask) {
			const { text, count } = await readBlame(reading, task);
			const { bytes, memory } = makeDetachable(text);
			return { value: { text: bytes, count }, transfer: [memory] };
		},

		/** The numbers of some snapshots. */
		async series(task: SeriesTask) {
			return { value: await computeSeries(reading, task) };
		},

		/** All dns that occur in a saved query's snapshots. */
		async completion(task: { savedQueryId: string; connectionId: string | null }) {
			return { value: await readCompletion(reading, task) };
		},

		/** Checks the snapshots of a segment. */
		async verify(task: { segmentId: string }) {
			return { value: await verifySegment({ db }, task) };
		},

		/** Computes what must change in a segment when snapshots are deleted. */
		async erase(task: EraseTask) {
			return { value: await planErasure({ db }, task) };
		},
	};
}
