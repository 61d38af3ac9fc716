/** Controller connections, test results and controllers' failures as the wire shows them. */
import type { ControllerConnection } from "@weft/contracts";
import type { Identity } from "../../platform/caller.ts";
import { type AppError, invalidField, unavailable, upstream } from "../../platform/errors.ts";
import type { ControllerError, ControllerTestResult } from "../../ports/controller.ts";
import { canDelete, canEdit } from "./policy.ts";
import type { OwnedConnection } from "./repo.ts";

export function presentConnection(row: OwnedConnection, identity: Identity): ControllerConnection {
	return {
		id: row.id,
		name: row.name,
		description: row.description,
		url: row.url,
		username: row.username,
		verify_ssl: row.verify_ssl,
		timeout: row.timeout,
		is_active: row.is_active,
		is_public: row.is_public,
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

export type TestAnswer =
	| { success: true; message: string; latency_ms: number; controller_version?: string }
	| { success: false; message: string; reason: string };

export function presentTest(result: ControllerTestResult | Unreadable): TestAnswer {
	if (!result.ok) return { success: false, message: result.message, reason: result.kind };
	const version = result.version === null ? "" : `, version ${result.version}`;
	return {
		success: true,
		message: `Signed in to the controller${version}.`,
		latency_ms: Math.round(result.latencyMs),
		...(result.version === null ? {} : { controller_version: result.version }),
	};
}

/** The stored password was sealed with a key that the service no longer has. */
export interface Unreadable {
	readonly ok: false;
	readonly kind: "password_unreadable";
	readonly message: string;
}

export const UNREADABLE: Unreadable = {
	ok: false,
	kind: "password_unreadable",
	message: "The stored password cannot be read: the service's secret key was changed. Enter the password again.",
};

/** A pass-through request that failed: what the driver would not send is the caller's mistake, all else is upstream. */
export function presentFailure(error: ControllerError): AppError {
	if (error.kind === "invalid" || (error.kind === "limit" && error.status === undefined)) {
		return invalidField("query_path", error.message);
	}
	if (error.kind === "cancelled") return unavailable("The request was cancelled: the service is stopping.");
	return upstream(error.message, { timeout: error.kind === "timeout", status: error.status ?? null });
}
