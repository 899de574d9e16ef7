-- The book's lines for `init.lua` are Lua:  nvim -u NONE --headless -c 'luafile editors/vim/test_book.lua'
-- They are read and not run, since each is for another version of Neovim.

local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")
local page = table.concat(vim.fn.readfile(here .. "/../../docs/editors.md"), "\n")
local count, problems = 0, {}
for block in page:gmatch("\n```lua\n(.-)\n```") do
  count = count + 1
  local _, problem = loadstring(block, "=block " .. count)
  table.insert(problems, problem)
end
if count == 0 then
  table.insert(problems, "no Lua in docs/editors.md")
end
if #problems > 0 then
  io.stderr:write(table.concat(problems, "\n") .. "\n")
  vim.cmd("cquit")
end
vim.cmd("qall!")
