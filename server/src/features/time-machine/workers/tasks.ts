/**
 * The Time Machine's heavy work as tasks, with the store at hand: a thread does them for large snapshots, the process itself for small ones. Only what
 * is asked for goes to a thread, and only what is answered comes back.
 */

import type { Pause } from "../../../platform/workers/pause.ts";
import { detachable, handedOver } from "../../../platform/workers/serve.ts";
import type { Db } from "../../../ports/store.ts";
import { createCaptureReader } from "../domain/document.ts";
import { createSnapshotContent } from "../repo-content.ts";
import { createSnapshotView } from "../repo-view.ts";
import { type CaptureOutput, type CaptureTask, captureInto } from "./capturing.ts";
import { type EraseTask, planErasure } from "./erasing.ts";
import { createLatestTexts } from "./latest.ts";
import { createPackSource } from "./packs.ts";
import {
	type Compared,
	type CompareTask,
	type CompletionTask,
	compareSnapshots,
	type PageTask,
	readCompletion,
	readText,
	undisturbed,
	writePage,
} from "./reading.ts";
import { createSegmentSource } from "./segments.ts";
import { type BlameTask, readBlame, readTimelines, type TimelineTask } from "./tracing.ts";
import { verifySegment } from "./verifying.ts";

export type TimeMachineTasks = ReturnType<typeof createTimeMachineTasks>;

/**
 * @param db reads only: what is to be written is answered
 * @param pause of the thread that does them
 */
export function createTimeMachineTasks(db: Db, pause?: Pause) {
	const [content, view] = [createSnapshotContent(), createSnapshotView()];
	const packs = createPackSource({ db, view });
	const latest = createLatestTexts(pause);
	const reader = createCaptureReader(pause);
	const reading = { db, view, packs, segments: createSegmentSource({ db, view }) };

	return {
		/** Validates, compacts and hashes a capture, and weaves it into its history. */
		async capture(task: CaptureTask): Promise<{ value: CaptureOutput; transfer: ArrayBuffer[] }> {
			const output = await captureInto({ db, content, packs, latest, reader }, task);
			if (!output.ok || typeof output.result === "string" || output.result.content === null)
				return { value: output, transfer: [] };
			const { bytes: text, transfer } = handedOver(output.result.content.text);
			const result = { ...output.result, content: { ...output.result.content, text } };
			return { value: { ...output, result }, transfer };
		},

		/** The text of a snapshot; null when it is gone. */
		async text(task: { snapshotId: string; bytes: number }): Promise<{
			value: Uint8Array | null;
			transfer: ArrayBuffer[];
		}> {
			const text = await readText(reading, task);
			if (text === null) return { value: null, transfer: [] };
			const { bytes, memory } = detachable(text);
			return { value: bytes, transfer: [memory] };
		},

		/** The comparison of two snapshots with its first page; null when one of the two is gone. */
		async compare(task: CompareTask): Promise<{ value: Compared | null; transfer: ArrayBuffer[] }> {
			const compared = await compareSnapshots(reading, task);
			if (compared === null) return { value: null, transfer: [] };
			const { bytes, memory } = detachable(compared.first.bytes);
			return { value: { ...compared, first: { ...compared.first, bytes } }, transfer: [memory] };
		},

		/** Another page of a comparison. */
		async page(task: PageTask) {
			const page = await undisturbed(() => writePage(reading, task));
			const { bytes, memory } = detachable(page.bytes);
			return { value: { ...page, bytes }, transfer: [memory] };
		},

		/** Objects through time, each as JSON text. */
		async timelines(task: TimelineTask) {
			const { texts, count } = await readTimelines(reading, task);
			const own = texts.map(detachable);
			return { value: { texts: own.map(({ bytes }) => bytes), count }, transfer: own.map(({ memory }) => memory) };
		},

		/** Which snapshot last changed each attribute of an object, as JSON text. */
		async blame(task: BlameTask) {
			const { text, count } = await readBlame(reading, task);
			const { bytes, memory } = detachable(text);
			return { value: { text: bytes, count }, transfer: [memory] };
		},

		/** All dns that occur in a saved query's snapshots. */
		async completion(task: CompletionTask) {
			return { value: await readCompletion(reading, task) };
		},

		/** What is wrong with the snapshots of a segment. */
		async verify(task: { segmentId: string }) {
			return { value: await verifySegment({ db, view }, task) };
		},

		/** What must change for snapshots to be taken out of a history. */
		async erase(task: EraseTask) {
			return { value: await planErasure({ db, content, view }, task) };
		},
	};
}
