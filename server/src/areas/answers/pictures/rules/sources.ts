/** Chooses the snapshot of each class of a picture. */
import type { PicturePartialReason } from "@weft/contracts";
import type { Coverage } from "./coverage.ts";

/** A snapshot of a history, and the classes that its query reads. */
interface Candidate {
	readonly coverage: Coverage;
	/** The time when a run last found its rows. */
	readonly seenAt: Date;
}

export interface Choice<Source> {
	readonly className: string;
	/** Null if no candidate has the class. */
	readonly source: Source | null;
	/** Null if the source has all objects of the class, or if there is none. */
	readonly reason: PicturePartialReason | null;
}

/** Chooses for each class the newest source with all of its objects, else the newest with some. */
export function chooseSources<Source extends Candidate>(
	classes: readonly string[],
	candidates: readonly Source[],
): Choice<Source>[] {
	return classes.map((className) => {
		let best: Rated<Source> | null = null;
		for (const source of candidates) {
			const reason = source.coverage.get(className);
			if (reason !== undefined && (best === null || isBetter({ source, reason }, best))) best = { source, reason };
		}
		return { className, source: best?.source ?? null, reason: best?.reason ?? null };
	});
}

interface Rated<Source extends Candidate> {
	readonly source: Source;
	readonly reason: PicturePartialReason | null;
}

function isBetter(one: Rated<Candidate>, other: Rated<Candidate>): boolean {
	const isWhole = one.reason === null;
	if (isWhole !== (other.reason === null)) return isWhole;
	return one.source.seenAt > other.source.seenAt;
}
