/** "Copy as": the API call behind the current view. */
import { Code } from "lucide-react";
import { type ApiCall, formatCurl, formatPython } from "../platform/snippets.ts";
import { baseUrl } from "../platform/weft.ts";
import { IconButton } from "./button.tsx";
import { copyText } from "./copy.tsx";
import { Menu } from "./menu.tsx";
import { showToast } from "./toast.tsx";

export function CopyAs({ call }: { call: () => ApiCall }) {
	const copy = async (name: string, text: string) =>
		showToast((await copyText(text)) ? `Copied as ${name}; put your token into TOKEN` : "The browser refused to copy");
	return (
		<Menu
			trigger={<IconButton label="Copy as an API call" icon={Code} />}
			groups={[
				[
					{ label: "Copy as curl", run: () => void copy("curl", formatCurl(call(), baseUrl)) },
					{ label: "Copy as Python", run: () => void copy("Python", formatPython(call(), baseUrl)) },
				],
			]}
		/>
	);
}
