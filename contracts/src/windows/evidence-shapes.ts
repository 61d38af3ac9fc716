/** Evidence of a change window: results of Cisco's pre-upgrade validation script. */
import * as z from "zod";
import { defineList } from "../core/bounded.ts";
import { timestamp, uuid } from "../core/common.ts";
import { EVIDENCE_FORMATS, EVIDENCE_LIMITS, EVIDENCE_RESULTS, EVIDENCE_SEVERITIES } from "./values.ts";

const MB = 1024 * 1024;

const evidenceFile = z.object({
	name: z
		.string()
		.min(1, "Must not be empty.")
		.max(EVIDENCE_LIMITS.name, `Must have at most ${EVIDENCE_LIMITS.name} characters.`),
	content: z
		.string()
		.max(
			EVIDENCE_LIMITS.fileBytes,
			`Must have at most ${EVIDENCE_LIMITS.fileBytes / MB} MB. Attach the JSON files of the script only.`,
		)
		.meta({ description: "The text of one JSON file of the script." }),
});
export type EvidenceFile = z.output<typeof evidenceFile>;

export const evidenceBody = z.object({
	connection_id: uuid
		.optional()
		.meta({ description: "The fabric that the script ran on. May be absent if the window has one connection." }),
	files: defineList(evidenceFile, {
		max: EVIDENCE_LIMITS.files,
		tooMany: `Must be at most ${EVIDENCE_LIMITS.files} files. Attach the JSON files of one run of the script.`,
	}).min(1, "Give at least one JSON file of the script."),
});
export type EvidenceInput = z.output<typeof evidenceBody>;

export const evidenceParams = z.object({ id: uuid, evidence_id: uuid });

/** A table of the objects that a check found. */
const evidenceTable = z.object({
	columns: z.array(z.string()),
	/** The first rows, each with a cell for each column. */
	rows: z.array(z.array(z.string())),
	/** Rows of the file, also those that are not stored. */
	row_count: z.int(),
	/** False for rows that the script could not read completely. */
	is_formatted: z.boolean(),
});
export type EvidenceTable = z.infer<typeof evidenceTable>;

export const evidenceCheck = z.object({
	/** The script's name of the check, else the name of its file. */
	id: z.string(),
	name: z.string(),
	description: z.string(),
	result: z.enum(EVIDENCE_RESULTS),
	/** The script's word for the result of a failed check; empty if there is none. */
	result_text: z.string(),
	/** Null if the file has none of the known severities. */
	severity: z.enum(EVIDENCE_SEVERITIES).nullable(),
	reason: z.string(),
	sub_reason: z.string(),
	recommended_action: z.string(),
	/** Address of the script's document about the check; empty if there is none. */
	doc_url: z.string(),
	tables: z.array(evidenceTable),
});
export type EvidenceCheck = z.infer<typeof evidenceCheck>;

const evidenceCounts = z.object({
	upgrade_failure: z.int(),
	outage_warning: z.int(),
	failed: z.int(),
	error: z.int(),
	manual_check: z.int(),
	post_upgrade_check: z.int(),
	unknown: z.int(),
	not_applicable: z.int(),
	passed: z.int(),
});
export type EvidenceCounts = z.infer<typeof evidenceCounts>;

/** The contents of the files of one run of the script. */
export const evidenceContent = z.object({
	format: z.enum(EVIDENCE_FORMATS),
	/** Version of the script; null if the files do not have it. */
	script_version: z.string().nullable(),
	/** Start of the script; null if the files do not have it. */
	started_at: timestamp.nullable(),
	/** Release of the controllers, of the switches, and the target of the upgrade. */
	release: z.string().nullable(),
	switch_release: z.string().nullable(),
	target_release: z.string().nullable(),
	/** Numbers of checks by result. */
	counts: evidenceCounts,
	total: z.int(),
	/** Whether every check ended and none is missing; null if the files do not have their number. */
	complete: z.boolean().nullable(),
	/** Sentences about missing files, unknown words, and texts and rows that were cut. */
	notes: z.array(z.string()),
	/** Failed checks first; empty for a summary. */
	checks: z.array(evidenceCheck),
});
export type EvidenceContent = z.infer<typeof evidenceContent>;

export const windowEvidence = evidenceContent.extend({
	id: z.string(),
	connection_id: z.string(),
	/** Name of the connection when the window was planned. */
	connection: z.string(),
	attached_by: z.string(),
	attached_at: timestamp,
	/** Whether it was attached after the window had opened. */
	late: z.boolean(),
	/** Number of attached files. */
	files: z.int(),
	/** SHA-256 of the SHA-256 digests of the files, in their sorted order. */
	sha256: z.string(),
});
export type WindowEvidence = z.infer<typeof windowEvidence>;
