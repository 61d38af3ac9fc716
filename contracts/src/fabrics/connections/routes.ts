/** Routes of controller connections. */
import * as z from "zod";
import { defineEnvelope, errorUpstream, paging, uuidParams } from "../../core/common.ts";
import { defineRawAnswer, defineRoute } from "../../core/route.ts";
import { connectionPaths } from "./paths.ts";
import {
	connectionCreate,
	connectionExecute,
	connectionPatch,
	connectionReplace,
	controllerConnection,
	testedMember,
	untrustedCertificate,
} from "./shapes.ts";

/** Writes may carry a whole configuration tree. */
const QUERY_BODY_MAX = 4 * 1024 * 1024;

const common = { throttle: "user" } as const;

export const connectionRoutes = {
	list: defineRoute({
		...connectionPaths.list,
		...common,
		summary: "The caller's own and public connections by name; all of them for administrators",
		permission: "view_controllerconnection",
		audit: { none: "read" },
		query: z.object(paging),
		answers: { 200: defineEnvelope(controllerConnection) },
	}),
	create: defineRoute({
		...connectionPaths.create,
		...common,
		summary: "Store a connection; its password or private key is encrypted and never shown again",
		permission: "add_controllerconnection",
		audit: { category: "controller_management", action: "connection_create" },
		body: connectionCreate,
		answers: { 201: controllerConnection },
	}),
	detail: defineRoute({
		...connectionPaths.detail,
		...common,
		summary: "One connection",
		permission: "view_controllerconnection",
		audit: { none: "read" },
		params: uuidParams,
		answers: { 200: controllerConnection },
	}),
	update: defineRoute({
		...connectionPaths.update,
		...common,
		summary:
			"Change some fields; without a password or private key the stored one stays. " +
			"Another auth_method, host, port or scheme, also in alternate_urls, or verify_ssl switched off, needs it again",
		permission: "change_controllerconnection",
		audit: { category: "controller_management", action: "connection_update" },
		params: uuidParams,
		body: connectionPatch,
		answers: { 200: controllerConnection },
	}),
	replace: defineRoute({
		...connectionPaths.replace,
		...common,
		summary:
			"Replace all fields, those left out by their defaults; without a password or private key the stored one stays. " +
			"Another auth_method, host, port or scheme, also in alternate_urls, or verify_ssl switched off, needs it again",
		permission: "change_controllerconnection",
		audit: { category: "controller_management", action: "connection_update" },
		params: uuidParams,
		body: connectionReplace,
		answers: { 200: controllerConnection },
	}),
	remove: defineRoute({
		...connectionPaths.remove,
		...common,
		summary: "Delete a connection; what depends on it fails at its next run",
		permission: "delete_controllerconnection",
		audit: { category: "controller_management", action: "connection_delete" },
		params: uuidParams,
		answers: { 204: defineRawAnswer("", "The connection is deleted") },
	}),
	test: defineRoute({
		...connectionPaths.test,
		...common,
		summary: "Sign in to the controller and record the outcome; for the owner and administrators",
		permission: "change_controllerconnection",
		audit: { category: "controller_management", action: "connection_test" },
		params: uuidParams,
		answers: {
			200: z.object({
				success: z.literal(true),
				message: z.string(),
				latency_ms: z.int(),
				controller_version: z.string().optional(),
				/** Domain and serial of node 1; empty if the user may not read them. */
				fabric_id: z.string(),
				/** The connection's addresses in their order, then the controllers that it lacks. */
				members: z.array(testedMember),
				/** Addresses of controllers that the connection lacks. */
				suggested_urls: z.array(z.string()),
				untrusted_certificates: z.array(untrustedCertificate).optional(),
			}),
			/**
			 * `reason` is a code: refused, dns, tls, timeout, credentials, not_a_controller,
			 * other_fabric, no_member …
			 */
			400: z.object({
				success: z.literal(false),
				message: z.string(),
				reason: z.string(),
				untrusted_certificates: z.array(untrustedCertificate).optional(),
			}),
		},
	}),
	execute: defineRoute({
		...connectionPaths.execute,
		...common,
		summary:
			"Send one request to a controller as it is; methods other than GET need the permission write_controllerconnection",
		permission: "change_controllerconnection",
		audit: { category: "controller_management", action: "controller_write" },
		body: connectionExecute,
		bodyLimit: QUERY_BODY_MAX,
		answers: {
			200: z.object({
				success: z.literal(true),
				data: z.unknown(),
				status_code: z.int(),
				execution_time_ms: z.int(),
				connection: z.object({ id: z.string(), name: z.string() }),
			}),
			502: errorUpstream,
			504: errorUpstream,
		},
	}),
} as const;
