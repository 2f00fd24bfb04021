<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.8" name="tiles" tilewidth="32" tileheight="32" tilecount="8" columns="8">
 <image source="tiles.png" width="256" height="32"/>
 <tile id="1">
  <properties>
   <property name="walkable" type="bool" value="false"/>
  </properties>
 </tile>
 <tile id="2">
  <properties>
   <property name="cost" type="int" value="4"/>
   <property name="terrain" value="swamp"/>
  </properties>
 </tile>
 <tile id="3">
  <properties>
   <property name="cost" type="int" value="2"/>
  </properties>
 </tile>
 <tile id="4">
  <properties>
   <property name="one_way" value="E,NE,SE"/>
  </properties>
 </tile>
 <tile id="5" type="water"/>
 <tile id="6">
  <properties>
   <property name="terrain" value="unknown"/>
  </properties>
 </tile>
 <tile id="7">
  <properties>
   <property name="cost" type="int" value="9"/>
   <property name="letter" value="L"/>
   <property name="terrain" value="lava"/>
  </properties>
 </tile>
</tileset>
