/** The entries of the help menu. Not part of the first page. */
import { BookOpen, FileCode2, Keyboard, Library, LifeBuoy } from "lucide-react";
import { baseUrl } from "../platform/weft.ts";
import type { MenuItem } from "../ui/menu-items.tsx";
import { getHelp } from "./help.ts";
import { useShell } from "./state.ts";

const openDocument = (path: string) => window.open(`${baseUrl}${path}`, "_blank", "noopener");

/** @param path of the page whose document is offered */
export function buildHelpMenu(path: string): readonly (readonly MenuItem[])[] {
	return [
		[{ label: "Keyboard shortcuts", icon: Keyboard, keys: "?", run: () => useShell.setState({ keySheet: true }) }],
		[
			{ label: "About this page", icon: LifeBuoy, run: () => openDocument(getHelp(path)) },
			{ label: "All documents", icon: Library, run: () => openDocument("/help/") },
		],
		[
			{ label: "API, interactive", icon: FileCode2, run: () => openDocument("/api/docs/") },
			{ label: "API reference", icon: BookOpen, run: () => openDocument("/api/redoc/") },
		],
	];
}
