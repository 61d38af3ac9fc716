import { expect, it } from "vitest";
import { ControllerError } from "../../../integrations/apic/port-error.ts";
import { findReach } from "./reach.ts";

it("says that a connection is down if nothing answers, and up if a controller refuses one request", () => {
	const error = "Connection refused.";
	expect(findReach(new ControllerError("refused", error))).toEqual({ isUp: false, error });
	expect(findReach(new ControllerError("credentials", error))).toEqual({ isUp: false, error });
	expect(findReach(new ControllerError("rejected", error))).toEqual({ isUp: true });
});

it("says nothing about a connection by errors of other kinds", () => {
	expect(findReach(new ControllerError("cancelled", ""))).toBeNull();
	expect(findReach(new Error("A program error."))).toBeNull();
});
