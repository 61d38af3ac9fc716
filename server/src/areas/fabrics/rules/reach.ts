/** Whether a connection reaches its controllers, by how a request ended. */
import { ControllerError, type ControllerErrorKind } from "../../../integrations/apic/port-error.ts";

export type Reach = { readonly isUp: true } | { readonly isUp: false; readonly error: string };

/** The connection cannot be used: nothing answers, or the sign-in is refused. */
const DOWN: ReadonlySet<ControllerErrorKind> = new Set<ControllerErrorKind>([
	"refused",
	"dns",
	"address",
	"tls",
	"timeout",
	"reset",
	"credentials",
	"not_a_controller",
	"other_fabric",
	"no_member",
]);
/** A controller answered, and refused this request only. */
const UP: ReadonlySet<ControllerErrorKind> = new Set<ControllerErrorKind>([
	"busy",
	"too_big",
	"rejected",
	"permission",
	"unstable",
]);

/** Null for an error that says nothing about the connection. */
export function findReach(error: unknown): Reach | null {
	if (!(error instanceof ControllerError)) return null;
	if (UP.has(error.kind)) return { isUp: true };
	return DOWN.has(error.kind) ? { isUp: false, error: error.message } : null;
}
