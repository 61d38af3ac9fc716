/** Connections, test results and the servers' failures as the wire shows them. */
import type { AutomationConnection } from "@weft/contracts";
import type { Identity } from "../../platform/caller.ts";
import { type AppError, notFound, unavailable, upstream } from "../../platform/errors.ts";
import type { AutomationError, AutomationTestResult } from "../../ports/automation-server.ts";
import { canDelete, canEdit } from "./policy.ts";
import type { OwnedConnection } from "./repo.ts";

export function presentConnection(row: OwnedConnection, identity: Identity): AutomationConnection {
	return {
		id: row.id,
		name: row.name,
		description: row.description,
		base_url: row.base_url,
		username: row.username,
		token_configured: row.token_sealed !== "",
		is_default: row.is_default,
		is_public: row.is_public,
		verify_ssl: row.verify_ssl,
		timeout: row.timeout,
		server_version: row.server_version,
		last_tested_at: row.last_tested_at?.toISOString() ?? null,
		last_test_status: row.last_test_status,
		last_test_message: row.last_test_message,
		created_by: row.owner,
		created_at: row.created_at.toISOString(),
		updated_at: row.updated_at.toISOString(),
		can_edit: canEdit(identity, row),
		can_delete: canDelete(identity, row),
	};
}

/** The stored token was sealed with a key that the service no longer has. */
export interface Unreadable {
	readonly ok: false;
	readonly kind: "token_unreadable";
	readonly message: string;
}

export const UNREADABLE: Unreadable = {
	ok: false,
	kind: "token_unreadable",
	message: "The stored token cannot be read: the service's secret key was changed. Enter the token again.",
};

export type TestAnswer =
	| { success: true; message: string; server_version: string | null; latency_ms: number }
	| { success: false; message: string; reason: string };

export function presentTest(result: AutomationTestResult | Unreadable): TestAnswer {
	if (!result.ok) return { success: false, message: result.message, reason: result.kind };
	const name = result.product === "" ? "the automation server" : result.product;
	const version = result.version === null ? "" : ` ${result.version}`;
	const notes = result.warnings.map((warning) => ` ${warning}`).join("");
	return {
		success: true,
		message: `Signed in to ${name}${version} as ${result.username}.${notes}`,
		server_version: result.version,
		latency_ms: Math.round(result.latencyMs),
	};
}

/** A failure of the server while somebody waits for the answer. */
export function presentFailure(error: AutomationError): AppError {
	if (error.kind === "not_found") return notFound(error.message);
	if (error.kind === "cancelled") return unavailable("The request was cancelled: the service is stopping.");
	return upstream(error.message, { timeout: error.kind === "timeout", status: error.status });
}
