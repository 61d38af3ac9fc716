/** The moment before the newest snapshot of a picture. */
import type { PictureClass } from "@weft/contracts";

/** A moment at which the newest of the snapshots did not exist; null without snapshots. */
export function findMomentBefore(classes: readonly PictureClass[]): string | null {
	const newest = Math.max(...classes.map(({ source }) => (source === null ? 0 : Date.parse(source.taken_at))), 0);
	return newest === 0 ? null : new Date(newest - 1).toISOString();
}
