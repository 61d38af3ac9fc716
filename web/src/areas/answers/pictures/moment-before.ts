/** The moment before the newest snapshot of a picture. */
import type { PictureClass } from "@weft/contracts";

/** Finds a moment before the newest of the snapshots was taken. Returns null without snapshots. */
export function findMomentBefore(classes: readonly PictureClass[]): string | null {
	const newest = Math.max(...classes.map(({ source }) => (source === null ? 0 : Date.parse(source.taken_at))), 0);
	return newest === 0 ? null : new Date(newest - 1).toISOString();
}
