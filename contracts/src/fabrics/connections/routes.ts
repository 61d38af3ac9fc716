/** Routes of controller connections. */
import * as z from "zod";
import { freezeConflict } from "../../calendar/reference-shapes.ts";
import { errorUpstream, uuidParams } from "../../core/common.ts";
import { defineCrudRoutes } from "../../core/crud.ts";
import { defineRoute } from "../../core/route.ts";
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
	...defineCrudRoutes({
		paths: connectionPaths,
		noun: "connection",
		permission: "controllerconnection",
		audit: { category: "controller_management", action: "connection" },
		shapes: {
			item: controllerConnection,
			create: connectionCreate,
			update: connectionPatch,
			replace: connectionReplace,
		},
		summary: {
			list: "The caller's own and public connections by name; all of them for administrators",
			create: "Store a connection; its password or private key is encrypted and never shown again",
			update:
				"Change some fields; without a password or private key the stored one stays. " +
				"Another auth_method, host, port or scheme, also in alternate_urls, or verify_ssl switched off, needs it again",
			replace:
				"Replace all fields, absent ones by their defaults; without a password or private key the stored one stays. " +
				"Another auth_method, host, port or scheme, also in alternate_urls, or verify_ssl switched off, needs it again",
			remove: "Delete a connection; what depends on it fails at its next run",
		},
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
			"Send one request to a controller unchanged; methods other than GET need the permission " +
			"write_controllerconnection, and are refused during a freeze",
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
			409: freezeConflict,
			502: errorUpstream,
			504: errorUpstream,
		},
	}),
} as const;
