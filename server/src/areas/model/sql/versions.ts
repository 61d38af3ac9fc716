/** SQL of installed versions of the model, and of their content: records and images. */
import type { Insertable, Selectable } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { ModelVersionsTable } from "../tables.ts";

export type VersionRow = Selectable<ModelVersionsTable>;

export async function findActiveVersion(db: Db): Promise<VersionRow | undefined> {
	return db.selectFrom("model_versions").selectAll().where("is_active", "=", true).executeTakeFirst();
}

/** The newest first. */
export async function listModelVersions(db: Db, limit: number): Promise<VersionRow[]> {
	return db
		.selectFrom("model_versions")
		.selectAll()
		.orderBy("imported_at", "desc")
		.orderBy("id", "desc")
		.limit(limit)
		.execute();
}

export async function findVersionByRun(db: Db, runId: string): Promise<VersionRow | undefined> {
	return db.selectFrom("model_versions").selectAll().where("run_id", "=", runId).executeTakeFirst();
}

/** By its id, or the newest one that is there with this key. */
export async function findVersionByName(db: Db, name: string, isId: boolean): Promise<VersionRow | undefined> {
	const all = db.selectFrom("model_versions").selectAll();
	const found = isId
		? all.where("id", "=", name.toLowerCase())
		: all.where("version_key", "=", name).where("is_available", "=", true);
	return found.orderBy("imported_at", "desc").limit(1).executeTakeFirst();
}

export async function insertModelVersion(tx: Tx, row: Insertable<ModelVersionsTable>): Promise<void> {
	await tx.db.insertInto("model_versions").values(row).execute();
}

/**
 * Makes a version the one that is loaded, and every other one not. One statement after the
 * other: there is at most one at any time.
 */
export async function markVersionActive(tx: Tx, id: string): Promise<void> {
	await tx.db
		.updateTable("model_versions")
		.set({ is_active: false })
		.where("is_active", "=", true)
		.where("id", "<>", id)
		.execute();
	await tx.db.updateTable("model_versions").set({ is_active: true }).where("id", "=", id).execute();
}

/** Removes the content of versions beyond the newest `kept`; the loaded one stays. */
export async function removeOldVersions(tx: Tx, kept: number): Promise<void> {
	const old = await tx.db
		.selectFrom("model_versions")
		.select(["id", "run_id", "is_active", "is_available"])
		.orderBy("imported_at", "desc")
		.orderBy("id", "desc")
		.offset(kept)
		.execute();
	const gone = old.filter(({ is_active, is_available }) => is_available && !is_active);
	if (gone.length === 0) return;
	const runs = gone.map(({ run_id }) => run_id);
	await tx.db.deleteFrom("model_images").where("run_id", "in", runs).execute();
	await tx.db.deleteFrom("model_records").where("run_id", "in", runs).execute();
	await tx.db.deleteFrom("model_import_jobs").where("run_id", "in", runs).execute();
	await tx.db
		.updateTable("model_versions")
		.set({ is_available: false })
		.where(
			"id",
			"in",
			gone.map(({ id }) => id),
		)
		.execute();
}

/**
 * The numbers of a run's pieces; they are read one by one, so that no answer of the store is
 * large.
 */
export async function listPieceNumbers(db: Db, runId: string): Promise<number[]> {
	const rows = await db.selectFrom("model_images").select("seq").where("run_id", "=", runId).orderBy("seq").execute();
	return rows.map(({ seq }) => seq);
}

export async function findPiece(db: Db, runId: string, seq: number): Promise<Buffer | undefined> {
	const row = await db
		.selectFrom("model_images")
		.select("payload")
		.where("run_id", "=", runId)
		.where("seq", "=", seq)
		.executeTakeFirst();
	return row?.payload;
}

export async function replacePieces(tx: Tx, runId: string, pieces: readonly Uint8Array[]): Promise<void> {
	await tx.db.deleteFrom("model_images").where("run_id", "=", runId).execute();
	for (const [seq, piece] of pieces.entries()) {
		await tx.db
			.insertInto("model_images")
			.values({ run_id: runId, seq, payload: Buffer.from(piece) })
			.execute();
	}
}

/** After an image was built anew. */
export async function setImageFormat(tx: Tx, id: string, image_format: number, image_bytes: number): Promise<void> {
	await tx.db.updateTable("model_versions").set({ image_format, image_bytes }).where("id", "=", id).execute();
}

export async function listVersionRecords(db: Db, runId: string): Promise<Buffer[]> {
	const rows = await db.selectFrom("model_records").select("seq").where("run_id", "=", runId).orderBy("seq").execute();
	const found: Buffer[] = [];
	for (const { seq } of rows) {
		const row = await db
			.selectFrom("model_records")
			.select("payload")
			.where("run_id", "=", runId)
			.where("seq", "=", seq)
			.executeTakeFirst();
		if (row !== undefined) found.push(row.payload);
	}
	return found;
}
