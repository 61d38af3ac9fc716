/** Names of the kinds and severities of notifications. */
import type { NotificationCategory, Severity } from "@weft/contracts";
import { CircleX, Info, type LucideIcon, TriangleAlert } from "lucide-react";

export const CATEGORY_NAMES: Readonly<Record<NotificationCategory, string>> = {
	scheduled_task: "Check alerts and schedules",
	automation_execution: "Requests and jobs",
	time_machine: "Changes and snapshots",
	system: "Account and service",
};

export const SEVERITY_LOOKS: Readonly<Record<Severity, readonly [name: string, icon: LucideIcon, look: string]>> = {
	info: ["Information", Info, "text-accent-text"],
	warning: ["Warning", TriangleAlert, "text-warn"],
	error: ["Failure", CircleX, "text-bad"],
};
