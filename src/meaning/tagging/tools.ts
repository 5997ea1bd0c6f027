import type { Category } from './categories.ts';

/**
 * Tool names of all agents, in lower case without separators, so that `TodoWrite`, `todo_write` and `todowrite` are one:
 * Claude Code (Read, Edit, Bash, Task ...), Codex (exec_command, apply_patch, update_plan, spawn_agent ...), Gemini CLI
 * and Qwen Code (read_file, replace, run_shell_command, google_web_search ...), OpenCode and pi (read, edit, bash ...),
 * Copilot CLI (view, create, rg, report_intent ...), Cline and its forks (read_files, editor, run_commands,
 * replace_in_file ...), Cursor, Amp, Droid. Shells are `run` here; what they ran decides further (see commands.ts).
 */
const NAMES: Readonly<Partial<Record<Category, string>>> = {
  read: `read readfile readfiles readmanyfiles view viewfile viewimage openfile cat notebookread grep grepsearch greptool
    glob globtool ls list listdir listdirectory listfiles find findpath findfiles finder rg search searchfiles
    searchfilecontent filesearch codebasesearch searchcodebase semanticsearch lsp diagnostics getdiagnostics readlints
    geterrors listcodedefinitionnames listcodeusages listmcpresources readmcpresource listmcpresourcestool
    readmcpresourcetool toolsearch searchtools skill activateskill readimage lookat getfile readnotebook
    gotodefinition findreferences`,
  edit: `edit write multiedit notebookedit editfile writefile replace replaceinfile writetofile create createfile insert
    inserteditintofile strreplace strreplaceeditor strreplacebasededittool applypatch patch editor searchreplace
    searchandreplace editnotebook deletefile movefile renamefile createdirectory editexistingfile createnewfile fileeditor
    undoedit astedit applydiff insertcontent filewrite filesedit updatefile`,
  run: `bash shell powershell exec execcommand shellcommand localshell runshellcommand runcommand runcommands
    executecommand runterminalcmd runinterminal terminal execute shellexec writestdin killshell killbash stopbash
    writebash readbash listbash bashoutput taskoutput taskstop monitor wait python ipython executeipython executebash repl
    eval codeinterpreter codeexecution runcode js processmanager awaitshell getterminaloutput`,
  web: `webfetch websearch fetch fetchurl googlewebsearch fetchwebpage fetchwebcontent openurl opensimplebrowser
    searchweb webrun readurl readurlcontent readwebpage bravewebsearch urlfetch webbrowser browser browseraction
    browsernavigate computer fetchcopilotclidocumentation findinpage openpage`,
  plan: `todowrite todoread todo todos todolist writetodos updateplan updatetodo updatetodolist managetodolist setplan
    taskcreate taskupdate tasklist taskget enterplanmode exitplanmode planenter planexit planmoderespond plan think
    sequentialthinking reportintent focuschain askuser askuserquestion askfollowupquestion requestuserinput question`,
  delegate: `task agent subagent invokeagent spawnagent waitagent closeagent resumeagent sendinput sendmessage
    delegatetoagent dispatchagent newtask runsubagent usesubagents workflow teamcreate teamdelete codebaseinvestigator
    oracle handoff listagents readagent calltask`,
  analysis: 'attemptcompletion completetask structuredoutput finish submit submitresult yield done',
};

const CATEGORY_OF = new Map<string, Category>(
  Object.entries(NAMES).flatMap(([category, names]) =>
    names.split(/\s+/).map((name): [string, Category] => [name, category as Category]),
  ),
);

/** What a tool does by its name alone; undefined for one that is not known. */
export function categoryOfName(tool: string): Category | undefined {
  return CATEGORY_OF.get(plain(tool)) ?? CATEGORY_OF.get(plain(tool.replace(/^.*[.:]/, '')));
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '');
}
