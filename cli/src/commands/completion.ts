/** `weft completion`: scripts for shells that ask the program itself for the next word. */
import { Argument, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { addExamples, type Register } from "../frame.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

const SCRIPTS: Readonly<Record<Shell, string>> = {
	bash: `_weft() {
	local IFS=$'\\n'
	COMPREPLY=($(compgen -W "$(weft completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _weft weft
`,
	zsh: `#compdef weft
_weft() {
	local -a candidates
	candidates=("\${(@f)$(weft completion words -- "\${(@)words[2,CURRENT-1]}" 2>/dev/null)}")
	if (( \${#candidates[1]} )); then compadd -a candidates; else _files; fi
}
if [ "$funcstack[1]" = "_weft" ]; then _weft "$@"; else compdef _weft weft; fi
`,
	fish: `function __weft_words
	set -l words (commandline -opc)
	weft completion words -- $words[2..-1] 2>/dev/null
end
complete -c weft -a '(__weft_words)'
`,
};

export const registerCompletion: Register = (program, run) => {
	const completion = program
		.command("completion")
		.description("Print the completion script of a shell.")
		.addArgument(new Argument("<shell>", "the shell").choices([...SHELLS, "words"] as const))
		.argument("[words...]", "with words: the words before the cursor")
		.action(
			run(async ({ output }, shell, words) => {
				const text =
					shell === "words"
						? listNextWords(program, words)
								.map((word) => `${word}\n`)
								.join("")
						: SCRIPTS[shell];
				await output.sink.write(text);
			}),
		);
	addExamples(
		completion,
		"source <(weft completion bash)",
		'weft completion zsh > "$' + '{fpath[1]}/_weft"',
		"weft completion fish > ~/.config/fish/completions/weft.fish",
	);
};

/** What may follow the words: values of the last option, or commands and options. */
function listNextWords(program: CommandUnknownOpts, words: readonly string[]): string[] {
	let command = program;
	const path = [program];
	for (const word of words) {
		const below = command.commands.find((one) => one.name() === word);
		if (below === undefined) continue;
		command = below;
		path.push(below);
	}
	const options = path.flatMap((one) => one.options);
	const last = options.find(({ long }) => long === words.at(-1));
	if (last !== undefined && (last.required || last.optional)) return [...(last.argChoices ?? [])];
	const names = command.commands.map((one) => one.name());
	const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
	return [...names, ...choices, ...options.flatMap(({ long }) => long ?? []), "--help"];
}
