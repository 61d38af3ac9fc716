import { ControllerError } from "../../../../integrations/apic/port-error.ts";

/** In the path of a request, in a filter, and in a body. */
const UNKNOWN = /\bunresolved class\b|\bclass \S+ not found\b|\bunknown managed object class\b/i;

/** Whether the controller's own words say that its release does not have a class of the request. */
export const isUnknownClass = (error: unknown): boolean =>
	error instanceof ControllerError && error.kind === "rejected" && UNKNOWN.test(error.text ?? "");
