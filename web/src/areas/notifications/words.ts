/** What the kinds and weights of notifications are called. */
import type { NotificationCategory, Severity } from "@weft/contracts";
import { CircleX, Info, type LucideIcon, TriangleAlert } from "lucide-react";

export const CATEGORY_NAMES: Readonly<Record<NotificationCategory, string>> = {
	scheduled_task: "Schedules",
	automation_execution: "Automation",
	time_machine: "Time Machine",
	system: "System",
};

export const SEVERITY_LOOKS: Readonly<Record<Severity, readonly [name: string, icon: LucideIcon, look: string]>> = {
	info: ["Information", Info, "text-accent-text"],
	warning: ["Warning", TriangleAlert, "text-warn"],
	error: ["Failure", CircleX, "text-bad"],
};
