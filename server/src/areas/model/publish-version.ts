/** Installs versions of the class model, and makes one of them the loaded one. */
import type { ModelSourceName } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import { MODEL_TOPIC } from "./loaded.ts";
import { IMAGE_FORMAT } from "./rules/image.ts";
import { insertModelVersion, markVersionActive, removeOldVersions } from "./sql/versions.ts";

/** A model that was built and stored, and is to be one of the installed versions. */
interface NewVersion {
	readonly id: string;
	readonly runId: string;
	readonly versionKey: string;
	readonly label: string;
	readonly controllerVersion: string;
	readonly source: ModelSourceName;
	readonly classes: number;
	readonly properties: number;
	readonly relations: number;
	readonly importedAt: Date;
	readonly importedBy: string;
	readonly imageBytes: number;
}

/** Versions whose content is kept, to go back to. */
const KEPT_VERSIONS = 3;

/** Makes an installed version the loaded one on every node when the transaction commits. */
export async function makeVersionActive(ctx: Context, tx: Tx, id: string): Promise<void> {
	await markVersionActive(tx, id);
	await ctx.announcements.announce(tx, MODEL_TOPIC, id);
}

/**
 * Adds a version, makes it the loaded one on every node when the transaction commits, and removes
 * the content of old versions.
 */
export async function publishVersion(ctx: Context, tx: Tx, version: NewVersion): Promise<void> {
	await insertModelVersion(tx, {
		id: version.id,
		run_id: version.runId,
		version_key: version.versionKey,
		label: version.label,
		controller_version: version.controllerVersion,
		source: version.source,
		class_count: version.classes,
		property_count: version.properties,
		rel_count: version.relations,
		imported_at: version.importedAt,
		imported_by_username: version.importedBy,
		is_active: false,
		is_available: true,
		image_format: IMAGE_FORMAT,
		image_bytes: version.imageBytes,
	});
	await makeVersionActive(ctx, tx, version.id);
	await removeOldVersions(tx, KEPT_VERSIONS);
}
