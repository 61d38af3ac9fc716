/** Copying, also where the browser has no clipboard for pages without TLS. */
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { joinClasses } from "./classes.ts";

export async function copyText(text: string): Promise<boolean> {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		const area = document.createElement("textarea");
		area.value = text;
		area.className = "fixed opacity-0";
		document.body.append(area);
		area.select();
		const done = document.execCommand("copy");
		area.remove();
		return done;
	}
}

/** Writes the report of an error of the program. */
export const writeReport = async (error: unknown): Promise<string> =>
	(await import("../platform/error-report.ts")).describeProgramError(error);

export function CopyButton({
	text,
	label,
	children,
}: {
	text: string | (() => string | Promise<string>);
	label: string;
	children?: string;
}) {
	const [state, setState] = useState<"idle" | "done" | "refused">("idle");
	useEffect(() => {
		if (state === "idle") return;
		const timer = setTimeout(() => setState("idle"), 2_000);
		return () => clearTimeout(timer);
	}, [state]);
	const Icon = state === "done" ? Check : Copy;
	return (
		<button
			type="button"
			aria-label={children ? undefined : label}
			title={label}
			className={joinClasses(
				"inline-flex h-6 items-center gap-1 rounded-cell align-middle text-muted hover:bg-sunken hover:text-fg",
				children ? "px-1.5" : "w-6 justify-center",
			)}
			onClick={async () =>
				setState((await copyText(typeof text === "function" ? await text() : text)) ? "done" : "refused")
			}
		>
			<Icon size={13} aria-hidden="true" />
			{children && <span className="text-xs">{children}</span>}
			<span className="sr-only" role="status">
				{state === "done" ? "Copied" : state === "refused" ? "The browser refused to copy" : ""}
			</span>
		</button>
	);
}
